import { useMemo } from "preact/hooks";
import type { LineSpec } from "../../charts/catalog";
import { lineSummary } from "../../charts/graph";
import type { ChartColors } from "../../charts/theme";
import { lastKnown, type Window } from "../../charts/window";
import { useWords } from "../../i18n";
import { formatTime } from "../../utils/format";
import css from "./graph.module.css";

const NONE = "–";
/** Points from the end of an open range in which the value still is the one of now. */
const NOW_POINTS = 3;

interface Props {
    window: Window;
    lines: readonly LineSpec[];
    colors: ChartColors;
    /** The point under the cursor; null: the newest. */
    index: number | null;
    /** The range ends now. */
    isOpen: boolean;
    format: (n: number) => string;
}

/** A piece of the line as it is drawn. */
function Sample({ line, color }: { line: LineSpec; color: string }) {
    if (line.isHidden) return <span class={css.sample} />;
    return (
        <svg class={css.sample} viewBox="0 0 18 10" aria-hidden="true">
            <path d="M0 5h18" stroke={color} stroke-width={line.isDashed || line.isOver ? 2 : 4} stroke-dasharray={line.isDashed ? "5 3" : undefined} />
        </svg>
    );
}

/** What a line is called, its value under the cursor, its maximum and mean. */
export function Legend({ window, lines, colors, index, isOpen, format }: Props) {
    const { t } = useWords();
    const sums = useMemo(() => lines.map((line) => lineSummary(window, line.column)), [window, lines]);
    const at = index === null ? null : (window.at[index] ?? null);
    const show = (n: number | null | undefined) => (n == null ? NONE : format(n));
    const value = (line: LineSpec) => {
        const values = window.columns[line.column] ?? [];
        return index === null ? lastKnown(values, isOpen ? NOW_POINTS : values.length) : values[index];
    };
    const limit = lines.find((line) => line.isLimit);
    const bound = limit ? value(limit) : null;
    const over = (line: LineSpec) => bound != null && line !== limit && (value(line) ?? 0) > bound;
    return (
        <table class={css.legend}>
            <thead>
                <tr>
                    <th scope="col">
                        <span class="visually-hidden">{t("graph.line")}</span>
                    </th>
                    <th scope="col" title={at === null ? undefined : formatTime(new Date(at))}>
                        {at === null ? t(isOpen ? "graph.now" : "graph.last") : formatTime(new Date(at)).slice(window.stepMs >= 86_400_000 ? 0 : 11, window.stepMs >= 86_400_000 ? 10 : 19)}
                    </th>
                    <th scope="col">{t("graph.max")}</th>
                    <th scope="col">{t("graph.mean")}</th>
                </tr>
            </thead>
            <tbody>
                {lines.map((line, i) => (
                    <tr key={line.column}>
                        <th scope="row">
                            <Sample line={line} color={line.color(colors)} />
                            {t(line.word)}
                        </th>
                        <td class={over(line) ? css.over : undefined}>{show(value(line))}</td>
                        <td>{line.isLimit ? "" : show(sums[i]?.max)}</td>
                        <td>{line.isLimit ? "" : show(sums[i]?.mean)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
