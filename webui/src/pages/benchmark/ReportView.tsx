import type { ComponentChildren } from "preact";
import { RUN_FILES, runFileUrl, type Run } from "../../api/bench";
import type { Report } from "../../api/benchReport";
import { Icon } from "../../components/Icon";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { cx } from "../../utils/cx";
import { formatTimes } from "../../utils/format";
import css from "./benchmark.module.css";
import { Costs } from "./Costs";
import { KneeCard } from "./KneeCard";
import { Ladder } from "./Ladder";
import { MachineCard } from "./MachineCard";
import { Peers } from "./Peers";
import type { Reader } from "./reader";
import { NONE, outcome, results, said, targetText } from "./texts";
import { Waterfall } from "./Waterfall";

function Files({ id, reader: { t } }: { id: string; reader: Reader }) {
    return (
        <div class={css.files} role="group" aria-label={t("bench.files")}>
            {RUN_FILES.map((file) => (
                <a key={file} class={cx(ui.button, ui.small)} href={runFileUrl(id, file)} download>
                    <Icon name="export" />
                    {file}
                </a>
            ))}
        </div>
    );
}

/** The verdict, and the answer in one sentence. */
function Conclusion({ id, report, reader }: { id: string; report: Report; reader: Reader }) {
    const { t, lang } = reader;
    const { word, tone } = outcome(report.state, report.verdict);
    const isPartial = report.state !== "complete";
    const begun = new Date(report.started_at);
    return (
        <Card
            title={said(report.title, lang) || report.profile || id}
            aside={<span class="dim">{formatTimes(begun, report.ended_at ? new Date(report.ended_at) : begun)}</span>}
        >
            <div class={css.body}>
                <p class={cx(css.answer, css[tone])}>
                    <span class={css.verdict}>{t(word)}</span>
                    {said(report.answer, lang) || t("bench.noAnswer")}
                </p>
                {isPartial && <p>{t("bench.partial")}</p>}
                {report.reason && <p>{t("bench.reason", { reason: said(report.reason, lang) })}</p>}
                {report.verdict === "invalid" && <p>{t("bench.invalidHelp")}</p>}
                {report.skipped.map(({ target, why }, i) => (
                    <p key={i} class={css.warn}>
                        {t("bench.skipped", { target: targetText(target ?? NONE, t), why: said(why, lang) })}
                    </p>
                ))}
                <Files id={id} reader={reader} />
            </div>
        </Card>
    );
}

interface Props {
    id: string;
    run: Run;
    reader: Reader;
    graphs: ComponentChildren;
}

export function ReportView({ id, run: { report, status, report_problem: problem }, reader, graphs }: Props) {
    const { t, lang } = reader;
    if (!report) {
        return (
            <Card title={t(outcome(status.state, null).word)}>
                <div class={css.body}>
                    <p>{t("bench.noReport")}</p>
                    {problem && <p>{t("bench.reason", { reason: problem })}</p>}
                    {status.reason && <p>{t("bench.reason", { reason: said(status.reason, lang) })}</p>}
                </div>
            </Card>
        );
    }
    const trials = results(report);
    return (
        <>
            <Conclusion id={id} report={report} reader={reader} />
            <Ladder trials={trials} targets={report.targets.length} reader={reader} />
            {report.knees.map((knee, i) => (
                <KneeCard key={i} knee={knee} reader={reader} />
            ))}
            {report.calibrations.map((knee, i) => (
                <KneeCard key={i} knee={knee} isFirst reader={reader} />
            ))}
            {report.peers.length > 0 && <Peers peers={report.peers} reader={reader} />}
            {trials.length > 0 && <Waterfall trials={trials} reader={reader} />}
            {trials.length > 0 && <Costs trials={trials} targets={report.targets.length} reader={reader} />}
            {graphs}
            <MachineCard report={report} reader={reader} />
        </>
    );
}
