import { useEffect, useState } from "preact/hooks";
import { getPreviews, POLICIES, putRetention, type Preview, type Retention, type RuleChange } from "../../api/retention";
import { Card, errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useAct } from "../../state/useAct";
import { useLeaveGuard } from "../../state/useLeaveGuard";
import { useResource } from "../../state/useResource";
import { changesOf, countChanges, draftOf, takeBack, wrongFields, type RuleDraft } from "./draft";
import { Limits } from "./Limits";
import { PolicyCard } from "./PolicyCard";
import css from "./retention.module.css";
import { SaveBar } from "./SaveBar";
import type { View } from "./view";

const SETTLE_MS = 300;
const EVERY_MS = 15_000;

/** The value once it has been still for a while: a preview for every key pressed helps nobody. */
function useSettled<T>(value: T, key: string): T {
    const [settled, setSettled] = useState(value);
    useEffect(() => {
        const timer = setTimeout(() => setSettled(() => value), SETTLE_MS);
        return () => clearTimeout(timer);
    }, [key]);
    return settled;
}

export function Rule({ view }: { view: View }) {
    const { t } = useWords();
    const { data, mayChange, reader } = view;
    const [saved, setSaved] = useState<Retention | null>(null);
    const [draft, setDraft] = useState<RuleDraft>(draftOf(data));
    const [undo, setUndo] = useState<RuleChange | null>(null);
    const [said, setSaid] = useState<"saved" | "undone" | null>(null);
    const act = useAct();
    // The answer to a change is newer than what the page asked for before.
    const r = saved && Date.parse(saved.at) > Date.parse(data.at) ? saved : data;
    const n = countChanges(draft, r);
    const wrong = wrongFields(draft);
    const changes = changesOf(draft, r);
    const key = JSON.stringify(changes);
    const asked = useSettled(changes, key);
    const previews = useResource(`rule ${JSON.stringify({ ...asked, over_budget: 0 })}`, (signal) => getPreviews(asked, signal), EVERY_MS);
    const chosen = previews.data?.find((p: Preview) => p.policy === draft.policy);
    useLeaveGuard(n > 0, t("rule.leave"));

    // Somebody else's change shows, unless this form holds one of its own.
    const base = JSON.stringify(draftOf(r));
    useEffect(() => {
        if (n === 0) setDraft(draftOf(r));
    }, [base]);

    const set = (change: Partial<RuleDraft>) => {
        setSaid(null);
        act.clear();
        setDraft({ ...draft, ...change });
    };
    const put = async (change: RuleChange) => {
        let next: Retention | null = null;
        const done = await act.run(async () => {
            next = await putRetention(change);
        });
        if (!done || !next) return false;
        setSaved(next);
        setDraft(draftOf(next));
        view.reload();
        previews.reload();
        return true;
    };
    const save = async () => {
        const back = takeBack(changes, r);
        if (await put(changes)) {
            setUndo(back);
            setSaid("saved");
        }
    };
    const goBack = async () => {
        if (undo && (await put(undo))) {
            setUndo(null);
            setSaid("undone");
        }
    };
    return (
        <div class={css.narrow}>
            {!mayChange && <p class={ui.note}>{t("rule.readOnly")}</p>}
            <Card title={t("rule.policy")}>
                <div class={css.policies} role="radiogroup" aria-label={t("rule.policy")}>
                    {POLICIES.map((policy) => (
                        <PolicyCard
                            key={policy}
                            policy={policy}
                            isChosen={draft.policy === policy}
                            isNow={r.policy === policy}
                            isReadOnly={!mayChange}
                            preview={previews.data?.find((p) => p.policy === policy)}
                            isUnknown={previews.error !== null && !previews.data}
                            reader={reader}
                            shed={draft.shed}
                            onChoose={() => set({ policy })}
                            onShed={(shed) => set({ shed })}
                        />
                    ))}
                </div>
            </Card>
            <Limits r={r} draft={draft} wrong={wrong} isReadOnly={!mayChange} onChange={set} />
            <SaveBar
                n={n}
                isWrong={wrong.length > 0}
                isBusy={act.isBusy}
                error={act.error && errorText(act.error, t)}
                preview={key === JSON.stringify(asked) ? chosen : undefined}
                said={said}
                mayUndo={undo !== null && n === 0}
                onSave={() => void save()}
                onDiscard={() => {
                    act.clear();
                    setDraft(draftOf(r));
                }}
                onUndo={() => void goBack()}
            />
        </div>
    );
}
