import { getRatesBy, type RateField } from "../../api/ratesBy";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./sources.module.css";
import { isSilent } from "./table";

const EVERY_MS = 30_000;
const ASKED = 200;

/** How many fell silent: those heard longest ago, until one that is not. */
export function Silent({ field, onShow }: { field: RateField; onShow: () => void }) {
    const { t } = useWords();
    const hasSilence = field !== "severity" && field !== "listener";
    const wish = { field, sort: "last_heard", order: "asc" as const, filter: "", limit: ASKED };
    const { data } = useResource(hasSilence ? `silent ${field}` : null, (signal) => getRatesBy(wish, signal), EVERY_MS);
    const now = data ? Date.parse(data.at) : 0;
    const n = data?.rows.filter((row) => isSilent(row, field, now)).length ?? 0;
    if (n === 0) return null;
    return (
        <div class={cx(ui.note, css.silentNote)} role="status">
            <span>{t(n < ASKED ? "rates.silentSome" : "rates.silentMany", { n: formatCount(n) })}</span>
            <button type="button" class={cx(ui.button, ui.small)} onClick={onShow}>
                {t("rates.silentShow")}
            </button>
        </div>
    );
}
