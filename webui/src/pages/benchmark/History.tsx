import { useState } from "preact/hooks";
import { deleteRun, type RunRow } from "../../api/bench";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { Card, errorText, Failed } from "../../components/States";
import ui from "../../components/ui.module.css";
import { href, navigate } from "../../state/router";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { formatExact, formatTime } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { NONE, outcome, said, targetText } from "./texts";
import type { Runs } from "./useRuns";

function nameOf(run: RunRow, { lang }: Reader): string {
    return `${run.started_at ? formatTime(run.started_at) : run.id} ${said(run.title, lang) || run.profile}`;
}

function DeleteRun({ run, reader, onDone, onClose }: { run: RunRow; reader: Reader; onDone: () => void; onClose: () => void }) {
    const { t } = reader;
    const act = useAct();
    const destroy = async () => {
        if (!(await act.run(() => deleteRun(run.id)))) return;
        onDone();
        onClose();
    };
    return (
        <Dialog title={t("bench.deleteTitle")} onClose={onClose} isBusy={act.isBusy}>
            <p>
                <b>{nameOf(run, reader)}</b>
            </p>
            <p>{t("bench.deleteHelp")}</p>
            {act.error && (
                <p class={formCss.error} role="alert">
                    {errorText(act.error, t)}
                </p>
            )}
            <div class={ui.actions}>
                <button type="button" class={cx(ui.button, formCss.danger)} disabled={act.isBusy} onClick={() => void destroy()}>
                    {t("bench.deleteOf", { name: run.started_at ? formatTime(run.started_at) : run.id })}
                </button>
                <button type="button" class={ui.button} disabled={act.isBusy} onClick={onClose}>
                    {t("action.cancel")}
                </button>
            </div>
        </Dialog>
    );
}

interface RowProps {
    run: RunRow;
    reader: Reader;
    isPicked: boolean;
    mayPick: boolean;
    onPick: () => void;
    onDelete: () => void;
}

function Row({ run, reader, isPicked, mayPick, onPick, onDelete }: RowProps) {
    const { t, lang } = reader;
    const { word, tone } = outcome(run.state, run.verdict);
    const name = nameOf(run, reader);
    return (
        <tr>
            <td class={css.atPick}>
                {run.state !== "running" && (
                    <input type="checkbox" class={css.pick} aria-label={t("bench.history.pickOf", { name })} checked={isPicked} disabled={!isPicked && !mayPick} onChange={onPick} />
                )}
            </td>
            <th scope="row" class={css.atBegun} title={run.started_at ? formatExact(run.started_at) : undefined}>
                <a href={href("/benchmark", { run: run.id })}>{run.started_at ? formatTime(run.started_at) : run.id}</a>
            </th>
            <td class={css.title}>{said(run.title, lang) || run.profile}</td>
            <td class={css.atTarget}>{targetText(run.target ?? NONE, t)}</td>
            <td class={cx(css.atResult, css[tone])}>{t(word)}</td>
            <td class={css.wide}>{said(run.answer, lang) || NONE}</td>
            <td class={css.atVersion}>{run.version ?? NONE}</td>
            <td class={css.atDelete}>
                {reader.mayRun && run.state !== "running" && (
                    <button type="button" class={cx(ui.button, ui.small)} aria-label={t("bench.deleteOf", { name })} onClick={onDelete}>
                        {t("bench.delete")}
                    </button>
                )}
            </td>
        </tr>
    );
}

/** What was measured before, newest first; two of it can be compared, the older one first. */
export function History({ runs, reader }: { runs: Runs; reader: Reader }) {
    const { t } = reader;
    const [picked, setPicked] = useState<string[]>([]);
    const [going, setGoing] = useState<RunRow | null>(null);
    const entries = runs.entries ?? [];
    const chosen = entries.filter((run) => picked.includes(run.id)).map((run) => run.id);
    const pick = (id: string) => setPicked(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
    const compare = () => {
        const [newer, older] = chosen;
        if (newer && older) navigate(href("/benchmark", { a: older, b: newer }));
    };
    const tools = (
        <span class={css.tools}>
            <span class="dim">{chosen.length < 2 && t("bench.history.pick")}</span>
            <button type="button" class={cx(ui.button, ui.small)} disabled={chosen.length !== 2} onClick={compare}>
                {t("bench.history.compare")}
            </button>
        </span>
    );
    return (
        <Card title={t("bench.history")} aside={entries.length > 1 && tools}>
            {runs.error && <Failed error={runs.error} retry={runs.reload} />}
            {entries.length === 0 ? (
                <p class={css.body}>{t("bench.history.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.history")}>
                    <table class={cx(ui.table, css.history)}>
                        <thead>
                            <tr>
                                <td />
                                <th scope="col">{t("bench.history.when")}</th>
                                <th scope="col">{t("bench.history.what")}</th>
                                <th scope="col">{t("bench.history.target")}</th>
                                <th scope="col">{t("bench.history.result")}</th>
                                <th scope="col">{t("bench.history.answer")}</th>
                                <th scope="col">{t("bench.history.version")}</th>
                                <td />
                            </tr>
                        </thead>
                        <tbody>
                            {entries.map((run) => (
                                <Row
                                    key={run.id}
                                    run={run}
                                    reader={reader}
                                    isPicked={chosen.includes(run.id)}
                                    mayPick={chosen.length < 2}
                                    onPick={() => pick(run.id)}
                                    onDelete={() => setGoing(run)}
                                />
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {runs.hasOlder && (
                <div class={css.body}>
                    <button type="button" class={cx(ui.button, ui.small)} disabled={runs.isFetching} onClick={runs.older}>
                        {t("bench.history.older")}
                    </button>
                </div>
            )}
            {going && <DeleteRun run={going} reader={reader} onDone={runs.reload} onClose={() => setGoing(null)} />}
        </Card>
    );
}
