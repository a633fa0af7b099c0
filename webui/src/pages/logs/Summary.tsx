import { exportUrl } from "../../api/endpoints";
import type { Session } from "../../api/types";
import { histogramTotal } from "../../charts/histogram";
import { Icon } from "../../components/Icon";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount, formatElapsed } from "../../utils/format";
import css from "./logs.module.css";
import type { Search } from "./useSearch";

const FORMATS: { format: "csv" | "jsonl" | "raw"; word: Key }[] = [
    { format: "csv", word: "logs.exportCsv" },
    { format: "jsonl", word: "logs.exportJsonl" },
    { format: "raw", word: "logs.exportRaw" },
];

/** How many were found and what it cost; exact once the histogram counted everything. */
function useFound({ histogram, lines, busy }: Search): string {
    const { t } = useWords();
    if (busy && lines.pages === 0) return t("state.loading");
    const { scan } = lines;
    const shown = lines.entries.length;
    const isExact = histogram?.complete ?? (lines.next === null && lines.complete);
    const n = Math.max(histogram ? histogramTotal(histogram) : shown, shown);
    const found = t(isExact ? "logs.found" : "logs.foundAtLeast", { n: formatCount(n) });
    const cost = t("logs.scan", {
        time: formatElapsed(scan.elapsed_us),
        read: formatCount(scan.blocks_read),
        blocks: formatCount(scan.blocks_in_range),
    });
    return `${found}${t("logs.comma")}${cost}`;
}

interface Props {
    search: Search;
    session: Session;
    isWrapped: boolean;
    onWrap: () => void;
    onKeys: () => void;
}

export function Summary({ search, session, isWrapped, onWrap, onKeys }: Props) {
    const { t } = useWords();
    const found = useFound(search);
    return (
        <div class={css.summary}>
            <span role="status">{found}</span>
            <span class={css.tools}>
                <button type="button" class={cx(ui.button, ui.small)} aria-pressed={isWrapped} onClick={onWrap}>
                    <Icon name="wrap" />
                    {t("logs.wrap")}
                </button>
                {session.role !== "viewer" && search.lines.entries.length > 0 && (
                    <details class={css.menu}>
                        <summary class={cx(ui.button, ui.small)}>
                            <Icon name="export" />
                            {t("logs.export")}
                        </summary>
                        <div class={css.menuBody}>
                            <p class="dim">{t("logs.exportHelp")}</p>
                            {FORMATS.map(({ format, word }) => (
                                <a key={format} class={cx(ui.button, ui.small)} href={exportUrl(format, search.query, search.span)} download>
                                    {t(word)}
                                </a>
                            ))}
                        </div>
                    </details>
                )}
                <button type="button" class={cx(ui.button, ui.small, css.keys)} onClick={onKeys}>
                    <kbd>?</kbd>
                    {t("logs.help")}
                </button>
            </span>
        </div>
    );
}
