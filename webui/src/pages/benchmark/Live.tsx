import { useState } from "preact/hooks";
import { stopRun, type Run } from "../../api/bench";
import type { SampleRow } from "../../api/benchReport";
import { Age, Card, errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { formatCount, formatElapsed, formatRate } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { lengthText, known, NONE, said } from "./texts";

function lostOf(s: SampleRow): number | null {
    const parts = [s.kernel_dropped, s.refused, s.send_errors];
    return parts.every((n) => n == null) ? null : parts.reduce<number>((sum, n) => sum + (n ?? 0), 0);
}

function Figure({ word, value, isBad = false }: { word: string; value: string; isBad?: boolean }) {
    return (
        <div class={cx(css.figure, isBad && css.bad)}>
            <dt>{word}</dt>
            <dd>{value}</dd>
        </div>
    );
}

/** The second just past. */
function Now({ sample, before, reader: { t } }: { sample: SampleRow; before: SampleRow | null; reader: Reader }) {
    const rate = (column: "scheduled" | "stored") => {
        const from = before?.trial === sample.trial && before.at_s < sample.at_s ? before : null;
        const n = sample[column];
        const then = from ? from[column] : 0;
        const seconds = sample.at_s - (from?.at_s ?? 0);
        return n == null || then == null || seconds <= 0 ? NONE : t("bench.live.perSecond", { n: formatRate((n - then) / seconds) });
    };
    const percent = (n: number) => `${n.toFixed(0)} %`;
    const lost = lostOf(sample);
    return (
        <dl class={css.figures}>
            <Figure word={t("bench.live.offered")} value={rate("scheduled")} />
            <Figure word={t("bench.live.stored")} value={rate("stored")} />
            <Figure word={t("bench.live.lost")} value={known(lost, formatCount)} isBad={(lost ?? 0) > 0} />
            <Figure word={t("bench.live.cpu")} value={`${known(sample.cpu_syslog, percent)} / ${known(sample.cpu_database, percent)}`} />
            <Figure word={t("bench.live.delay")} value={known(sample.latency_p99_us, formatElapsed)} />
        </dl>
    );
}

interface Props {
    id: string;
    run: Run;
    /** The second before that of the status. */
    before: SampleRow | null;
    /** When the run was asked last. */
    at: number;
    reader: Reader;
}

const STALE_MS = 5000;

/** How far it is, what it measures at the moment, and the way to stop it. */
export function Live({ id, run: { status }, before, at, reader }: Props) {
    const { t, lang } = reader;
    const act = useAct();
    const [isStopping, setStopping] = useState(false);
    const stop = async () => {
        if (await act.run(() => stopRun(id))) setStopping(true);
    };
    const percent = Math.min(100, Math.max(0, status.progress_percent ?? 0));
    const title = said(status.summary.title, lang) || (status.profile ?? "");
    const place = status.steps && status.step_number ? t("bench.step", { n: status.step_number, of: status.steps }) : "";
    const left = status.time_left_s == null ? "" : t("bench.left", { time: lengthText(status.time_left_s, t) });
    return (
        <Card title={t("bench.watchOf", { name: title })} aside={<Age at={at} staleMs={STALE_MS} />}>
            <div class={css.body}>
                <p role="status">
                    <b>{said(status.step, lang) || t("bench.preparing")}</b>
                    <span class="dim">{[place, `${percent.toFixed(0)} %`, left].filter(Boolean).map((text) => ` · ${text}`)}</span>
                </p>
                <progress class={css.progress} max={100} value={percent} aria-label={t("bench.progress")} />
                {status.sample ? <Now sample={status.sample} before={before} reader={reader} /> : <p class="dim">{t("bench.live.wait")}</p>}
                <p class="dim">{t("bench.live.leave")}</p>
                {reader.mayRun && (
                    <div class={ui.actions}>
                        <button type="button" class={ui.button} disabled={act.isBusy || isStopping} onClick={() => void stop()}>
                            {t("bench.stop")}
                        </button>
                    </div>
                )}
                {isStopping && <p role="status">{t("bench.stopping")}</p>}
                {act.error && (
                    <p class={css.bad} role="alert">
                        {errorText(act.error, t)}
                    </p>
                )}
            </div>
        </Card>
    );
}
