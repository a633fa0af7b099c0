import { useState } from "preact/hooks";
import { BENCH_GRAPHS } from "../../charts/benchmark";
import { mergeZoom } from "./zoom";
import { Graph } from "../../components/graph/Graph";
import { Failed } from "../../components/States";
import ui from "../../components/ui.module.css";
import type { Span } from "../../state/timeRange";
import type { View } from "../../state/useWindow";
import { formatCount } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { SAMPLES_MAX, type Samples } from "./useRun";

const HEIGHT = 132;

interface Props {
    view: View;
    samples: Samples;
    isRunning: boolean;
    reader: Reader;
}

/** What was offered and stored, lost, used and waited for, second by second. */
export function BenchGraphs({ view, samples, isRunning, reader: { t } }: Props) {
    const [zoom, setZoom] = useState<Span | null>(null);
    const shown = mergeZoom(view, zoom);
    if (samples.rows.length === 0) {
        if (samples.error) {
            return (
                <div>
                    <p>{t("bench.graph.failed")}</p>
                    <Failed error={samples.error} />
                </div>
            );
        }
        return isRunning || !samples.isComplete ? null : <p class={ui.note}>{t("bench.graph.none")}</p>;
    }
    return (
        <div class={css.grid}>
            {samples.error && <Failed error={samples.error} />}
            {samples.isCut && <p class={ui.note}>{t("bench.graph.cut", { n: formatCount(SAMPLES_MAX) })}</p>}
            {BENCH_GRAPHS.map((spec) => (
                <Graph key={spec.id} spec={spec} view={shown} marks={[]} height={HEIGHT} onZoom={setZoom} onBack={() => setZoom(null)} />
            ))}
            {zoom && (
                <button type="button" class={css.zoomBack + " " + ui.button} onClick={() => setZoom(null)}>
                    {t("graph.zoomBack")}
                </button>
            )}
        </div>
    );
}
