import { Component } from "preact";
import type { LogEntry } from "../../api/types";
import { BenchmarkTag } from "../../components/BenchmarkTag";
import { isOfBenchmark } from "../../state/benchNetwork";
import { cx } from "../../utils/cx";
import { formatClock, formatDay, formatExact } from "../../utils/format";
import { visible } from "../../utils/bytes";
import { markMatches } from "../../utils/match";
import { severityName, severityTone } from "../../utils/severity";
import css from "./logs.module.css";

/** A row shows this much of a message; the panel shows all of it. */
const SHOWN_MAX = 2000;

interface Props {
    entry: LogEntry;
    index: number;
    isSelected: boolean;
    withDay: boolean;
    wanted: readonly string[];
    isFree: boolean;
    /** Where benchmarks send from. */
    benchNetwork: string | null;
}

interface ChunkProps {
    entries: readonly LogEntry[];
    start: number;
    /** The selected line if it is one of these. */
    selected: string | null;
    withDay: boolean;
    wanted: readonly string[];
    isFree: boolean;
    /** Where benchmarks send from. */
    benchNetwork: string | null;
}

/** A hundred rows that are looked at again only when one of them changed: a key press must not cost two
 * thousand comparisons. */
export class Chunk extends Component<ChunkProps> {
    override shouldComponentUpdate(next: ChunkProps): boolean {
        const now = this.props;
        return (
            next.entries !== now.entries ||
            next.start !== now.start ||
            next.selected !== now.selected ||
            next.withDay !== now.withDay ||
            next.wanted !== now.wanted ||
            next.benchNetwork !== now.benchNetwork
        );
    }

    override render({ entries, start, selected, ...rest }: ChunkProps) {
        return (
            <>
                {entries.map((entry, i) => (
                    <Row key={entry.id} entry={entry} index={start + i} isSelected={entry.id === selected} {...rest} />
                ))}
            </>
        );
    }
}

/** Clicks are handled by the list: `data-field` says what was hit. */
class Row extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
        const now = this.props;
        return (
            next.entry !== now.entry ||
            next.index !== now.index ||
            next.isSelected !== now.isSelected ||
            next.withDay !== now.withDay ||
            next.wanted !== now.wanted ||
            next.benchNetwork !== now.benchNetwork
        );
    }

    override render({ entry, index, isSelected, withDay, wanted, isFree, benchNetwork }: Props) {
        const { severity, source, hostname, app_name: app } = entry;
        const name = severityName(severity);
        const host = hostname ?? source ?? "";
        const shownHost = visible(host);
        const shownApp = visible(app ?? "");
        const time = (withDay ? `${formatDay(entry.received_at).slice(5)} ` : "") + formatClock(entry.received_at);
        return (
            <div
                role="row"
                id={`line-${entry.id}`}
                data-id={entry.id}
                aria-rowindex={index + 2}
                aria-selected={isSelected}
                class={cx(css.row, css[`sev${severity}`], isSelected && css.selected)}
            >
                <span role="gridcell" class={css.time} title={formatExact(entry.received_at)}>
                    {time}
                </span>
                <span role="gridcell" class={cx(css.sev, css[severityTone(severity)])} data-field="severity" data-value={name}>
                    {name}
                </span>
                <span
                    role="gridcell"
                    class={css.host}
                    title={hostname ? `${shownHost} (${source ?? ""})` : host}
                    data-field={hostname === null ? "source" : "hostname"}
                    data-value={host}
                >
                    {shownHost}
                </span>
                <span role="gridcell" class={css.app} title={shownApp} data-field={app === null ? undefined : "app_name"} data-value={app ?? ""}>
                    {shownApp}
                </span>
                <span role="gridcell" class={css.message}>
                    {isOfBenchmark(source, benchNetwork) && <BenchmarkTag />}
                    {markMatches(visible(entry.message.slice(0, SHOWN_MAX)), wanted, isFree).map((part, i) =>
                        part.isMatch ? <mark key={i}>{part.text}</mark> : part.text,
                    )}
                </span>
            </div>
        );
    }
}
