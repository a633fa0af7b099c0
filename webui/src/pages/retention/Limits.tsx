import type { Retention } from "../../api/retention";
import formCss from "../../components/form.module.css";
import { Card } from "../../components/States";
import { useWords, type Key } from "../../i18n";
import { formatBytes, formatCount } from "../../utils/format";
import { draftOf, LIMITS, type NumberField, type RuleDraft } from "./draft";
import css from "./retention.module.css";

interface Props {
    r: Retention;
    draft: RuleDraft;
    wrong: NumberField[];
    isReadOnly: boolean;
    onChange: (change: Partial<RuleDraft>) => void;
}

const FIELDS: { field: NumberField; word: Key; unit: string }[] = [
    { field: "share", word: "rule.share", unit: "%" },
    { field: "keep", word: "rule.keep", unit: "" },
    { field: "high", word: "rule.high", unit: "%" },
    { field: "capacity", word: "rule.capacity", unit: "GB" },
];

/** The numbers of the rule, each with what it comes to. */
export function Limits({ r, draft, wrong, isReadOnly, onChange }: Props) {
    const { t } = useWords();
    const typed = Number(draft.capacity);
    const capacity = wrong.includes("capacity") ? r.capacity_bytes : typed > 0 ? Math.min(typed * 1e9, r.file_system.total_bytes) : r.file_system.total_bytes;
    const part = (text: string) => formatBytes((capacity * (Number(text) || 0)) / 100);
    const hint: Record<NumberField, string> = {
        share: t("rule.shareHint", { bytes: part(draft.share) }),
        keep: t("rule.keepHint"),
        high: t("rule.highHint", { bytes: part(draft.high) }),
        capacity: t("rule.capacityHint", { bytes: formatBytes(r.file_system.total_bytes) }),
    };
    const now = draftOf(r);
    return (
        <Card title={t("rule.limits")}>
            <div class={css.limits}>
                {FIELDS.map(({ field, word, unit }) => {
                    const isWrong = wrong.includes(field);
                    const { min, max } = LIMITS[field];
                    return (
                        <div key={field} class={formCss.field}>
                            <label for={`rule-${field}`}>{t(word)}</label>
                            <span class={css.unitField}>
                                <input
                                    id={`rule-${field}`}
                                    type="text"
                                    inputMode="decimal"
                                    readOnly={isReadOnly}
                                    value={draft[field]}
                                    class={draft[field] === now[field] ? "" : css.changed}
                                    aria-invalid={isWrong ? "true" : undefined}
                                    aria-describedby={`rule-${field}-hint`}
                                    onInput={(e) => onChange({ [field]: e.currentTarget.value })}
                                />
                                {unit}
                            </span>
                            <span id={`rule-${field}-hint`} class={isWrong ? formCss.error : formCss.hint} role={isWrong ? "alert" : undefined}>
                                {isWrong ? t("rule.outOfRange", { min: formatCount(min), max: formatCount(max) }) : hint[field]}
                            </span>
                        </div>
                    );
                })}
            </div>
        </Card>
    );
}
