import { LIST_ROWS_MAX, putLimits } from "../../api/listeners";
import formCss from "../../components/form.module.css";
import { Card, errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { ChangeBar } from "./ChangeBar";
import { BURST, limitDraft, limitProblems, limitRows, RATE, type LimitDraft, type LimitProblem } from "./limits";
import css from "./listeners.module.css";
import { useListForm } from "./useListForm";
import type { View } from "./view";

const WRONG: Record<LimitProblem, Key> = { network: "allow.wrongNetwork", twice: "allow.twice", rate: "settings.outOfRange", burst: "settings.outOfRange" };
const FIELDS = ["network", "rate", "burst"] as const;
const LABEL: Record<keyof LimitDraft, Key> = { network: "limits.network", rate: "limits.rate", burst: "limits.burst" };
const RANGE = { network: RATE, twice: RATE, rate: RATE, burst: BURST } as const;
const NEW: LimitDraft = { network: "", rate: "1000", burst: "10000" };

interface RowProps {
    row: LimitDraft;
    number: number;
    problem: LimitProblem | null;
    refused: string;
    isReadOnly: boolean;
    onChange: (row: LimitDraft) => void;
    onRemove: () => void;
}

function Row({ row, number, problem, refused, isReadOnly, onChange, onRemove }: RowProps) {
    const { t } = useWords();
    const id = `limit-${number}`;
    const { min, max } = RANGE[problem ?? "network"];
    const text = problem ? t(WRONG[problem], { min: formatCount(min), max: formatCount(max) }) : refused;
    const isWrong = (field: keyof LimitDraft) => problem === field || (problem === "twice" && field === "network");
    return (
        <li class={cx(css.entry, css.limit)}>
            {FIELDS.map((field) => (
                <input
                    key={field}
                    type="text"
                    spellcheck={false}
                    inputMode={field === "network" ? "text" : "numeric"}
                    readOnly={isReadOnly}
                    aria-label={t(LABEL[field], { n: number })}
                    aria-invalid={isWrong(field) ? "true" : undefined}
                    aria-describedby={text ? `${id}-error` : undefined}
                    value={row[field]}
                    onInput={(e) => onChange({ ...row, [field]: e.currentTarget.value })}
                />
            ))}
            {!isReadOnly && (
                <button type="button" class={ui.button} aria-label={t("list.removeRow", { what: row.network || String(number) })} onClick={onRemove}>
                    {t("list.remove")}
                </button>
            )}
            {text && (
                <span id={`${id}-error`} class={cx(formCss.error, css.whole)} role="alert">
                    {text}
                </span>
            )}
        </li>
    );
}

/** How many messages a second are taken from each sender of a network. */
export function LimitsCard({ view }: { view: View }) {
    const { t } = useWords();
    const form = useListForm(
        { rows: view.listeners.limits.map(limitDraft), version: view.listeners.versions.limits },
        async (rows, _force, version) => (await putLimits(limitRows(rows), version)).versions.limits,
        view.reload,
    );
    const { rows, act } = form;
    const wrong = limitProblems(rows);
    const { error } = act;
    return (
        <section class={css.section}>
            <Card title={t("limits.title")}>
                <div class={css.body}>
                    <p>{t("limits.help")}</p>
                    {rows.length > 0 && (
                        <div class={cx(css.entry, css.limit, css.heads)} aria-hidden="true">
                            <span>{t("limits.networkHead")}</span>
                            <span>{t("limits.rateHead")}</span>
                            <span>{t("limits.burstHead")}</span>
                        </div>
                    )}
                    <ul class={css.entries}>
                        {rows.map((row, i) => (
                            <Row
                                key={i}
                                row={row}
                                number={i + 1}
                                problem={wrong[i] ?? null}
                                refused={error?.rows.find((r) => r.row === i)?.message ?? ""}
                                isReadOnly={!view.isAdmin}
                                onChange={(changed) => form.set(rows.map((r, j) => (j === i ? changed : r)))}
                                onRemove={() => form.set(rows.filter((_, j) => j !== i))}
                            />
                        ))}
                    </ul>
                    {view.isAdmin && rows.length < LIST_ROWS_MAX && (
                        <div class={ui.actions}>
                            <button type="button" class={cx(ui.button, ui.small)} onClick={() => form.set([...rows, NEW])}>
                                {t("limits.add")}
                            </button>
                        </div>
                    )}
                </div>
            </Card>
            <ChangeBar
                label={t("limits.title")}
                n={form.n}
                effects={[{ text: t("limits.does"), isWarning: false }]}
                error={error && error.rows.length === 0 ? errorText(error, t) : null}
                isBusy={act.isBusy}
                isWrong={wrong.some((w) => w !== null)}
                said={form.said}
                mayUndo={form.mayUndo}
                onSave={() => void form.save(false)}
                onDiscard={form.discard}
                onUndo={() => void form.undo()}
            />
        </section>
    );
}
