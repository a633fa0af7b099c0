import { useEffect, useState } from "preact/hooks";
import { Failed, Skeleton } from "../../components/States";
import { Answer } from "./Answer";
import css from "./benchmark.module.css";
import { History } from "./History";
import { Messages } from "./Messages";
import { Profiles } from "./Profiles";
import type { Reader } from "./reader";
import { RunView } from "./RunView";
import type { Runs } from "./useRuns";

/** The answer, or what is under way; what can be measured; what was measured; what is left of it. */
export function Home({ runs, reader }: { runs: Runs; reader: Reader }) {
    const { t } = reader;
    const { entries } = runs;
    const running = entries?.find((run) => run.state === "running");
    const [watched, setWatched] = useState<string | null>(null);
    // its report stays in its place when it ends
    useEffect(() => {
        if (running) setWatched(running.id);
    }, [running?.id]);
    const shown = running?.id ?? (entries?.some((run) => run.id === watched) ? watched : null);
    return (
        <div class={css.grid}>
            <p class={css.intro}>{t("bench.intro")}</p>
            {runs.error && !entries && <Failed error={runs.error} retry={runs.reload} />}
            {!entries && !runs.error && <Skeleton heights={[96, 200, 240]} />}
            {entries && !shown && <Answer runs={entries} reader={reader} />}
            {shown && <RunView key={shown} id={shown} reader={reader} onEnd={runs.reload} />}
            {entries && !running && <Profiles reader={reader} />}
            {entries && <History runs={runs} reader={reader} />}
            <Messages isRunning={running !== undefined} reader={reader} />
        </div>
    );
}
