import { useEffect, useRef } from "preact/hooks";
import { boxNow } from "../../api/client";
import type { SampleRow } from "../../api/benchReport";
import { Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import css from "./benchmark.module.css";
import { BenchGraphs } from "./BenchGraphs";
import { Live } from "./Live";
import type { Reader } from "./reader";
import { ReportView } from "./ReportView";
import { useBenchView, useRun, useSamples } from "./useRun";

interface Props {
    id: string;
    reader: Reader;
    /** It is no longer running. */
    onEnd: () => void;
}

/** The newest sample that is older than `sample`. */
function beforeOf(rows: readonly SampleRow[], sample: SampleRow | null): SampleRow | null {
    if (!sample) return null;
    for (let i = rows.length - 1; i >= 0; i--) {
        const row = rows[i];
        if (row && (row.trial !== sample.trial || row.at_s < sample.at_s)) return row;
    }
    return null;
}

/** One run: live while it runs, then its report; the same graphs in both. */
export function RunView({ id, reader, onEnd }: Props) {
    const { t } = reader;
    const { data, error, at, reload } = useRun(id);
    const isRunning = data?.status.state === "running";
    const samples = useSamples(id, isRunning);
    const opened = useRef(boxNow());
    const began = Date.parse(data?.status.summary.started_at ?? "") || opened.current;
    const view = useBenchView(data?.report ?? null, isRunning, samples.rows, began);
    const wasRunning = useRef(false);
    useEffect(() => {
        if (wasRunning.current && !isRunning) onEnd();
        wasRunning.current = isRunning;
    }, [isRunning]);

    if (error && !data) {
        if (error.status === 404) return <p class={ui.note}>{t("bench.missing")}</p>;
        return <Failed error={error} retry={reload} />;
    }
    if (!data) return <Skeleton heights={[120, 200, 200]} />;
    const graphs = <BenchGraphs view={view} samples={samples} isRunning={isRunning} reader={reader} />;
    return (
        <div class={css.grid}>
            {isRunning ? (
                <>
                    <Live id={id} run={data} before={beforeOf(samples.rows, data.status.sample)} at={at} reader={reader} />
                    {graphs}
                </>
            ) : (
                <ReportView id={id} run={data} reader={reader} graphs={graphs} />
            )}
        </div>
    );
}
