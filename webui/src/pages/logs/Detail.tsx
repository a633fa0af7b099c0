import type { LogEntry } from "../../api/types";
import { Copy } from "../../components/Copy";
import { Icon } from "../../components/Icon";
import ui from "../../components/ui.module.css";
import { useWords, type Translate } from "../../i18n";
import { visibleLines } from "../../utils/bytes";
import { href } from "../../state/router";
import { cx } from "../../utils/cx";
import { formatExact, formatSpan, microseconds } from "../../utils/format";
import { severityName, severityTone } from "../../utils/severity";
import css from "./detail.module.css";
import { fieldsOf, type FieldRow } from "./fields";
import logs from "./logs.module.css";
import { OnlyNot, type Acts } from "./OnlyNot";
import { Pairs } from "./Pairs";
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

function Value({ row, ...acts }: Acts & { row: FieldRow }) {
    const { t } = useWords();
    return (
        <div class={css.field}>
            <dt>{t(row.word)}</dt>
            <dd>
                <span class={css.value}>{row.shown}</span>
                {row.field === "source" && (
                    <a class={css.about} href={href("/sources", { tab: "source", source: row.value })}>
                        {t("line.aboutSource")}
                    </a>
                )}
                {row.field && <OnlyNot field={row.field} value={row.value} name={t(row.word)} shown={row.shown} {...acts} />}
            </dd>
        </div>
    );
}

interface Props extends Acts {
    entry: LogEntry;
    onAround: () => void;
    onMove: (by: number) => void;
    onClose: () => void;
}

export function Detail({ entry, onOnly, onNot, onAround, onMove, onClose }: Props) {
    const { t } = useWords();
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
            <Pairs key={entry.id} id={entry.id} onOnly={onOnly} onNot={onNot} />
            <RawView key={entry.id} id={entry.id} />
        </aside>
    );
}
