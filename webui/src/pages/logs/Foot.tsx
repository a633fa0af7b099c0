import { timeOfId } from "../../api/endpoints";
import { Failed } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { isFull, loadsOn } from "../../state/logLines";
import { cx } from "../../utils/cx";
import { formatCount, formatTime } from "../../utils/format";
import type { SearchControl } from "./useSearch";

/** What stands below the last row: the end, more, or why there is no more. */
export function Foot({ search, onBefore }: { search: SearchControl; onBefore: (toMs: number) => void }) {
    const { t } = useWords();
    const { lines, busy, error, more, stop } = search;
    const oldest = lines.entries.at(-1);
    if (error) return <Failed error={error} retry={more} />;
    if (busy) {
        return (
            <>
                {t("logs.more")}{" "}
                <button type="button" class={cx(ui.button, ui.small)} onClick={stop}>
                    {t("action.cancel")}
                </button>
            </>
        );
    }
    if (isFull(lines) && oldest) {
        return (
            <>
                {t("logs.limit", { n: formatCount(lines.entries.length) })}{" "}
                <button type="button" class={cx(ui.button, ui.small)} onClick={() => onBefore(Date.parse(oldest.received_at) + 1)}>
                    {t("logs.goOnFrom", { time: formatTime(oldest.received_at) })}
                </button>
            </>
        );
    }
    if (lines.next !== null && !loadsOn(lines)) {
        return (
            <>
                {t("logs.incomplete", { time: formatTime(timeOfId(lines.next)) })}{" "}
                <button type="button" class={cx(ui.button, ui.small)} onClick={more}>
                    {t("logs.goOn")}
                </button>
            </>
        );
    }
    return lines.next === null && oldest ? <>{t("logs.end")}</> : null;
}
