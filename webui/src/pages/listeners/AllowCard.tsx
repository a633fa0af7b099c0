import { LIST_ROWS_MAX, type AllowEntry } from "../../api/listeners";
import { LISTENERS, type ListenerName } from "../../api/types";
import formCss from "../../components/form.module.css";
import { Card, errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key, type Translate } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { allowProblems, NOTE_MAX, openListeners, shutOut, suggestions, type Heard, type NetworkProblem } from "./allow";
import { ChangeBar } from "./ChangeBar";
import type { Effect } from "./effects";
import css from "./listeners.module.css";
import { useHeard } from "./useHeard";
import type { ListForm } from "./useListForm";
import type { View } from "./view";

const LISTENER: Record<ListenerName, Key> = { udp: "listener.udp", tcp: "listener.tcp", tls: "listener.tls" };
const WRONG: Record<NetworkProblem, Key> = { network: "allow.wrongNetwork", twice: "allow.twice" };
const SUGGESTED = 8;
const NAMED = 5;

function names(heard: readonly Heard[], t: Translate): string {
    const shown = heard.slice(0, NAMED).map((h) => t("allow.by", { source: h.source, listener: t(LISTENER[h.listener]) }));
    return [...shown, ...(heard.length > NAMED ? ["…"] : [])].join(t("word.comma"));
}

/** What saving the list does to those who send now. */
function effects(out: readonly Heard[], form: ListForm<AllowEntry>, t: Translate): Effect[] {
    const list: Effect[] = [{ text: t("allow.does"), isWarning: false }];
    const open = openListeners(form.rows);
    if (open.length === LISTENERS.length) list.push({ text: t("allow.doesOpen"), isWarning: false });
    if (out.length > 0) list.push({ text: t("allow.doesShut", { n: formatCount(out.length), who: names(out, t) }), isWarning: true });
    return list;
}

interface RowProps {
    row: AllowEntry;
    number: number;
    hits: number | undefined;
    problem: string;
    isReadOnly: boolean;
    onChange: (row: AllowEntry) => void;
    onRemove: () => void;
}

function Row({ row, number, hits, problem, isReadOnly, onChange, onRemove }: RowProps) {
    const { t } = useWords();
    const id = `allow-${number}`;
    return (
        <li class={css.entry}>
            <input
                type="text"
                spellcheck={false}
                readOnly={isReadOnly}
                aria-label={t("allow.network", { n: number })}
                aria-invalid={problem ? "true" : undefined}
                aria-describedby={problem ? `${id}-error` : undefined}
                placeholder={"192.0.2.0/24"}
                value={row.network}
                onInput={(e) => onChange({ ...row, network: e.currentTarget.value })}
            />
            <select
                aria-label={t("allow.listener", { n: number })}
                disabled={isReadOnly}
                value={row.listener ?? ""}
                onChange={(e) => onChange({ ...row, listener: LISTENERS.find((l) => l === e.currentTarget.value) ?? null })}
            >
                <option value="">{t("allow.all")}</option>
                {LISTENERS.map((l) => (
                    <option key={l} value={l}>
                        {t(LISTENER[l])}
                    </option>
                ))}
            </select>
            <input
                type="text"
                maxLength={NOTE_MAX}
                readOnly={isReadOnly}
                aria-label={t("allow.note", { n: number })}
                placeholder={t("list.note")}
                value={row.note}
                onInput={(e) => onChange({ ...row, note: e.currentTarget.value })}
            />
            <span class={css.hits}>{hits === undefined ? "" : t("allow.hits", { n: formatCount(hits) })}</span>
            {!isReadOnly && (
                <button type="button" class={ui.button} aria-label={t("list.removeRow", { what: row.network || String(number) })} onClick={onRemove}>
                    {t("list.remove")}
                </button>
            )}
            {problem && (
                <span id={`${id}-error`} class={cx(formCss.error, css.whole)} role="alert">
                    {problem}
                </span>
            )}
        </li>
    );
}

/** From whom messages are taken. */
export function AllowCard({ view, form }: { view: View; form: ListForm<AllowEntry> }) {
    const { t } = useWords();
    const { rows, act } = form;
    const asked = useHeard(1, form.n > 0);
    const hour = asked.data;
    const day = useHeard(24).data;
    const wrong = allowProblems(rows);
    const out = shutOut(hour?.heard ?? [], form.current, rows);
    const proposed = suggestions(day?.heard ?? [], rows).slice(0, SUGGESTED);
    const { error } = act;
    const isRefused = error?.code === "would_shut_out";
    const problem = (i: number) => {
        const here = wrong[i];
        return here ? t(WRONG[here]) : (error?.rows.find((r) => r.row === i)?.message ?? "");
    };
    const isForced = out.length > 0 || isRefused;
    const add = (network: string) => form.set([...rows, { network, listener: null, note: "" }]);
    return (
        <section class={css.section}>
            <Card title={t("allow.title")}>
                <div class={css.body}>
                    <p>{t(rows.length === 0 ? "allow.everybody" : "allow.help")}</p>
                    <ul class={css.entries}>
                        {rows.map((row, i) => (
                            <Row
                                key={i}
                                row={row}
                                number={i + 1}
                                hits={view.listeners.allow.find((a) => a.network === row.network && a.listener === row.listener)?.hits}
                                problem={problem(i)}
                                isReadOnly={!view.isAdmin}
                                onChange={(changed) => form.set(rows.map((r, j) => (j === i ? changed : r)))}
                                onRemove={() => form.set(rows.filter((_, j) => j !== i))}
                            />
                        ))}
                    </ul>
                    {view.isAdmin && rows.length < LIST_ROWS_MAX && (
                        <div class={ui.actions}>
                            <button type="button" class={cx(ui.button, ui.small)} onClick={() => add("")}>
                                {t("allow.add")}
                            </button>
                        </div>
                    )}
                    {view.isAdmin && proposed.length > 0 && (
                        <div class={css.suggest}>
                            <span class="dim">{t("allow.seen")}</span>
                            {proposed.map((s) => (
                                <button key={s.network} type="button" class={cx(ui.button, ui.small)} onClick={() => add(s.network)}>
                                    {t("allow.suggest", { network: s.network, n: s.senders })}
                                </button>
                            ))}
                        </div>
                    )}
                    {asked.error && !hour && <p class="dim">{t("allow.unknown")}</p>}
                    {hour && !hour.isComplete && <p class="dim">{t("allow.notAll", { n: formatCount(hour.heard.length) })}</p>}
                </div>
            </Card>
            <ChangeBar
                label={t("allow.title")}
                n={form.n}
                effects={effects(out, form, t)}
                error={error && !error.rows.some((r) => r.row !== null) ? (isRefused ? error.message : errorText(error, t)) : null}
                isBusy={act.isBusy}
                isWrong={wrong.some((w) => w !== null) || (hour === undefined && asked.error === null)}
                danger={out.length > 0 ? t("allow.saveShut", { n: formatCount(out.length) }) : isRefused ? t("allow.saveAnyway") : undefined}
                said={form.said}
                mayUndo={form.mayUndo}
                onSave={() => void form.save(isForced)}
                onDiscard={form.discard}
                onUndo={() => void form.undo()}
            />
        </section>
    );
}
