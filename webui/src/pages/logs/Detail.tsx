import type { LogEntry } from "../../api/types";
import { Copy } from "../../components/Copy";
import { Icon } from "../../components/Icon";
import ui from "../../components/ui.module.css";
import { useWords, type Translate } from "../../i18n";
import { visible, visibleLines } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatExact, formatSpan, microseconds } from "../../utils/format";
import { findPairs } from "../../utils/pairs";
import { severityName, severityTone } from "../../utils/severity";
import css from "./detail.module.css";
import { fieldsOf, type FieldRow } from "./fields";
import logs from "./logs.module.css";
import { RawView } from "./RawView";

function microsOf(rfc3339: string): number {
    return Math.floor(Date.parse(rfc3339) / 1000) * 1_000_000 + microseconds(rfc3339);
}

/** How far the sender's clock is from the box's. */
function difference(entry: LogEntry, t: Translate): string {
    if (entry.reported_at === null) return t("line.noReported");
    const ms = (microsOf(entry.received_at) - microsOf(entry.reported_at)) / 1000;
    if (Math.abs(ms) < 1) return t("line.sameTime");
    return t(ms > 0 ? "line.behind" : "line.ahead", { span: formatSpan(ms) });
}

interface Acts {
    onOnly: (field: string, value: string) => void;
    onNot: (field: string, value: string) => void;
}

function Value({ row, onOnly, onNot }: Acts & { row: FieldRow }) {
    const { t } = useWords();
    const label = t("line.actions", { field: t(row.word), value: row.shown });
    return (
        <div class={css.field}>
            <dt>{t(row.word)}</dt>
            <dd>
                <span class={css.value}>{row.shown}</span>
                {row.field && (
                    <span class={css.acts} role="group" aria-label={label}>
                        <button type="button" class={cx(ui.button, ui.small, ui.bare)} onClick={() => onOnly(row.field ?? "", row.value)}>
                            {t("line.only")}
                        </button>
                        <button type="button" class={cx(ui.button, ui.small, ui.bare)} onClick={() => onNot(row.field ?? "", row.value)}>
                            {t("line.not")}
                        </button>
                    </span>
                )}
            </dd>
        </div>
    );
}

interface Props extends Acts {
    entry: LogEntry;
    onText: (phrase: string) => void;
    onAround: () => void;
    onMove: (by: number) => void;
    onClose: () => void;
}

export function Detail({ entry, onOnly, onNot, onText, onAround, onMove, onClose }: Props) {
    const { t } = useWords();
    const pairs = findPairs(entry.message);
    const tone = severityTone(entry.severity);
    return (
        <aside class={css.panel} aria-label={t("line.detail")}>
            <div class={css.head}>
                <span class={cx(css.severity, logs[`sev${entry.severity}`], logs[tone])}>{severityName(entry.severity)}</span>
                <time dateTime={entry.received_at}>{formatExact(entry.received_at)}</time>
                <span class={css.headTools}>
                    <button type="button" class={cx(ui.button, ui.small, ui.bare)} aria-label={t("line.previous")} title={t("line.previous")} onClick={() => onMove(-1)}>
                        <Icon name="up" />
                    </button>
                    <button type="button" class={cx(ui.button, ui.small, ui.bare)} aria-label={t("line.next")} title={t("line.next")} onClick={() => onMove(1)}>
                        <Icon name="down" />
                    </button>
                    <button type="button" class={cx(ui.button, ui.small, ui.bare)} aria-label={t("action.close")} title={t("action.close")} onClick={onClose}>
                        <Icon name="close" />
                    </button>
                </span>
            </div>
            <pre class={css.message} tabIndex={0}>
                {visibleLines(entry.message)}
            </pre>
            <div class={css.tools}>
                <Copy text={entry.message} />
                <button type="button" class={cx(ui.button, ui.small)} title={t("line.aroundHelp")} onClick={onAround}>
                    {t("line.around")}
                </button>
            </div>
            <h3>{t("line.fields")}</h3>
            <dl class={css.fields}>
                <div class={css.field}>
                    <dt>{t("line.received")}</dt>
                    <dd>{formatExact(entry.received_at)}</dd>
                </div>
                <div class={css.field}>
                    <dt>{t("line.reported")}</dt>
                    <dd>{entry.reported_at ? formatExact(entry.reported_at) : t("line.null")}</dd>
                </div>
                <div class={css.field}>
                    <dt>{t("line.difference")}</dt>
                    <dd>{difference(entry, t)}</dd>
                </div>
                {fieldsOf(entry).map((row) => (
                    <Value key={row.word} row={row} onOnly={onOnly} onNot={onNot} />
                ))}
            </dl>
            {pairs.length > 0 && (
                <>
                    <h3>{t("line.pairs")}</h3>
                    <dl class={css.fields}>
                        {pairs.map((pair, i) => (
                            <div key={i} class={css.field}>
                                <dt class="mono">{pair.key}</dt>
                                <dd>
                                    <span class={css.value}>{visible(pair.value)}</span>
                                    <span class={css.acts}>
                                        <button type="button" class={cx(ui.button, ui.small, ui.bare)} onClick={() => onText(pair.text)}>
                                            {t("line.only")}
                                        </button>
                                    </span>
                                </dd>
                            </div>
                        ))}
                    </dl>
                </>
            )}
            <RawView key={entry.id} id={entry.id} />
        </aside>
    );
}
