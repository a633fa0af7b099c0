import { boxNow } from "../../api/client";
import type { Tls, TlsAllowed } from "../../api/tls";
import formCss from "../../components/form.module.css";
import { Card, errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { ChangeBar } from "./ChangeBar";
import type { Effect } from "./effects";
import css from "./listeners.module.css";
import type { ListForm } from "./useListForm";
import { allowedProblems, shutOutByTls, type AllowedProblem } from "./wish";

const WRONG: Record<AllowedProblem, Key> = { name: "allowed.nameWrong", fingerprint: "allowed.fingerprintWrong", twice: "allowed.twice" };
const HOUR_MS = 3_600_000;
const NAMED = 5;
const ROWS_MAX = 4096;

interface RowProps {
    row: TlsAllowed;
    number: number;
    problem: AllowedProblem | null;
    onChange: (row: TlsAllowed) => void;
    onRemove: () => void;
}

function Row({ row, number, problem, onChange, onRemove }: RowProps) {
    const { t } = useWords();
    const id = `allowed-${number}`;
    return (
        <li class={cx(css.entry, css.allowed)}>
            <select
                aria-label={t("allowed.kindN", { n: number })}
                value={row.kind}
                onChange={(e) => onChange({ ...row, kind: e.currentTarget.value === "fingerprint" ? "fingerprint" : "name" })}
            >
                <option value="name">{t("allowed.name")}</option>
                <option value="fingerprint">{t("allowed.fingerprint")}</option>
            </select>
            <input
                type="text"
                spellcheck={false}
                maxLength={1024}
                aria-label={t("allowed.valueN", { n: number })}
                aria-invalid={problem ? "true" : undefined}
                aria-describedby={problem ? `${id}-error` : undefined}
                value={row.value}
                onInput={(e) => onChange({ ...row, value: e.currentTarget.value })}
            />
            <input
                type="text"
                maxLength={200}
                aria-label={t("allow.note", { n: number })}
                placeholder={t("list.note")}
                value={row.note}
                onInput={(e) => onChange({ ...row, note: e.currentTarget.value })}
            />
            <button type="button" class={ui.button} aria-label={t("list.removeRow", { what: row.value || String(number) })} onClick={onRemove}>
                {t("list.remove")}
            </button>
            {problem && (
                <span id={`${id}-error`} class={cx(formCss.error, css.whole)} role="alert">
                    {t(WRONG[problem])}
                </span>
            )}
        </li>
    );
}

/** Which certificates may send. */
export function TlsAllowedCard({ tls, form }: { tls: Tls; form: ListForm<TlsAllowed> }) {
    const { t } = useWords();
    const { rows, act } = form;
    const wrong = allowedProblems(rows);
    const out = shutOutByTls(tls.senders, boxNow() - HOUR_MS, form.current, rows);
    const { error } = act;
    const isRefused = error?.code === "would_shut_out";
    const effects: Effect[] = [{ text: t("allowed.does"), isWarning: false }];
    if (out.length > 0) {
        const who = out.slice(0, NAMED).map((s) => t("allowed.who", { name: s.name, source: s.source }));
        effects.push({ text: t("allow.doesShut", { n: formatCount(out.length), who: [...who, ...(out.length > NAMED ? ["…"] : [])].join(t("word.comma")) }), isWarning: true });
    }
    const isForced = out.length > 0 || isRefused;
    return (
        <section class={css.section}>
            <Card title={t("allowed.title")}>
                <div class={css.body}>
                    <p>{t(rows.length === 0 ? "allowed.everybody" : "allowed.help")}</p>
                    <ul class={css.entries}>
                        {rows.map((row, i) => (
                            <Row
                                key={i}
                                row={row}
                                number={i + 1}
                                problem={wrong[i] ?? null}
                                onChange={(changed) => form.set(rows.map((r, j) => (j === i ? changed : r)))}
                                onRemove={() => form.set(rows.filter((_, j) => j !== i))}
                            />
                        ))}
                    </ul>
                    {rows.length < ROWS_MAX && (
                        <div class={ui.actions}>
                            <button type="button" class={cx(ui.button, ui.small)} onClick={() => form.set([...rows, { kind: "name", value: "", note: "" }])}>
                                {t("allowed.add")}
                            </button>
                        </div>
                    )}
                </div>
            </Card>
            <ChangeBar
                label={t("allowed.title")}
                n={form.n}
                effects={effects}
                error={error && (isRefused || error.field !== undefined ? error.message : errorText(error, t))}
                isBusy={act.isBusy}
                isWrong={wrong.some((w) => w !== null)}
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
