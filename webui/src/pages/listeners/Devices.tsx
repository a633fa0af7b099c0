import type { Setting } from "../../api/types";
import { Lines } from "../../components/guide/Guide";
import guide from "../../components/guide/guide.module.css";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";

/** What to write into devices, also when the first logs are long there. */
export function Devices({ settings }: { settings: readonly Setting[] }) {
    const { t } = useWords();
    return (
        <section class={cx(ui.card, guide.guide)} aria-label={t("listen.tab.devices")}>
            <Lines settings={settings} />
        </section>
    );
}
