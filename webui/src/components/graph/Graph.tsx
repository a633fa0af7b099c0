import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { FORMAT, TICK, type GraphSpec, type LineSpec } from "../../charts/catalog";
import { drawn, graphData, graphOptions, type GraphShape } from "../../charts/graph";
import { paintMarks, type Mark } from "../../charts/marks";
import { chartColors } from "../../charts/theme";
import type { Window } from "../../charts/window";
import { useWords } from "../../i18n";
import { isDark } from "../../state/prefs";
import { createStore, useStore } from "../../state/store";
import type { Span } from "../../state/timeRange";
import type { View } from "../../state/useWindow";
import { Chart } from "../Chart";
import { Card } from "../States";
import css from "./graph.module.css";
import { Forms, Points } from "./GraphTable";
import { Legend } from "./Legend";

/** The moment under the cursor of any graph, ms since the epoch. */
export const cursorAt = createStore<number | null>(null);

interface Props {
    spec: GraphSpec;
    view: View;
    marks: readonly Mark[];
    height: number;
    onZoom: (span: Span) => void;
    onBack: () => void;
}

/** A rare line is there once it has ever been above zero. */
function shownLines(spec: GraphSpec, window: Window): LineSpec[] {
    return spec.lines.filter((line) => !line.isRare || window.columns[line.column]?.some((v) => v !== null && v > 0));
}

/** One graph over time, with its figures at the right and the same as a table, CSV and picture below. */
export function Graph({ spec, view, marks, height, onZoom, onBack }: Props) {
    const { t } = useWords();
    const dark = useStore(isDark);
    const chart = useRef<uPlot | null>(null);
    const act = useRef({ onZoom, onBack });
    act.current = { onZoom, onBack };
    const { window } = view;
    const [isTable, setTable] = useState(false);
    const [index, setIndex] = useState<number | null>(null);
    const lines = useMemo(() => shownLines(spec, window), [spec, window]);
    const names = lines.map((line) => line.column).join();
    const colors = useMemo(() => chartColors(), [dark]);
    const shape = useMemo<GraphShape>(
        () => ({
            isStacked: spec.isStacked ?? false,
            floor: spec.floor,
            isShare: spec.isShare ?? false,
            tick: TICK[spec.unit],
            lines: lines.filter((line) => !line.isHidden).map((line) => ({ ...line, color: line.color(colors) })),
        }),
        [spec, names, colors],
    );
    const options = useMemo(
        () => graphOptions(shape, colors, (from, to) => act.current.onZoom({ from, to }), () => act.current.onBack()),
        [shape, colors],
    );
    const data = useMemo(() => graphData(shape, window), [shape, window]);
    const paint = useMemo(() => (u: uPlot) => paintMarks(u, marks, colors), [marks, colors]);
    const isEmpty = useMemo(() => !drawn(shape).some((line) => window.columns[line.column]?.some((v) => v !== null)), [shape, window]);
    useEffect(() => () => cursorAt.set(null), []);
    const point = index !== null && index < window.at.length ? index : null;

    return (
        <Card title={t(spec.title)}>
            <div class={css.graph} data-graph={spec.id}>
                <div class={css.plot}>
                    <Chart
                        options={options}
                        data={data}
                        from={view.from}
                        to={view.to}
                        height={height}
                        paint={paint}
                        chartRef={chart}
                        onCursor={(i) => {
                            setIndex(i);
                            cursorAt.set(i === null ? null : (window.at[i] ?? null));
                        }}
                    />
                    {isEmpty && <p class={css.nothing}>{t("graph.nothing")}</p>}
                </div>
                <div class={css.side}>
                    <Legend window={window} lines={lines} colors={colors} index={point} isOpen={view.isOpen} format={FORMAT[spec.unit]} />
                    <Forms spec={spec} view={view} lines={lines} colors={colors} chart={chart} isTable={isTable} onTable={() => setTable(!isTable)} />
                </div>
            </div>
            {isTable && <Points spec={spec} view={view} lines={lines} />}
        </Card>
    );
}
