import type { Listeners } from "../../api/listeners";
import { Lines } from "../../components/guide/Guide";
import guide from "../../components/guide/guide.module.css";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";

/** What to write into devices, also when the first logs are long there. */
export function Devices({ listeners }: { listeners: Listeners }) {
    const { t } = useWords();
    return (
        <section class={cx(ui.card, guide.guide)} aria-label={t("listen.tab.devices")}>
            <Lines listeners={listeners} />
        </section>
    );
}
