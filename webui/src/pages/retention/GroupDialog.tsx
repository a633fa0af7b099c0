import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { postGroup, putGroup, type SourceGroup } from "../../api/retention";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { groupDraftOf, readGroup, type GroupDraft, type GroupProblem } from "./groupDraft";

const WRONG: Record<keyof GroupDraft, Key> = {
    name: "groups.nameWrong",
    quota: "groups.quotaWrong",
    keep: "groups.keepWrong",
    members: "groups.memberWrong",
};

function Field({ id, label, hint, problem, children }: { id: string; label: string; hint: string; problem: GroupProblem | undefined; children: ComponentChildren }) {
    const { t } = useWords();
    return (
        <div class={formCss.field}>
            <label for={id}>{label}</label>
            {children}
            <span id={`${id}-hint`} class={problem ? formCss.error : formCss.hint} role={problem ? "alert" : undefined}>
                {problem ? t(WRONG[problem.field], { n: problem.line ?? 0, text: problem.text ?? "" }) : hint}
            </span>
        </div>
    );
}

/** A new group, or one that is changed. */
export function GroupDialog({ group, onDone, onClose }: { group: SourceGroup | null; onDone: () => void; onClose: () => void }) {
    const { t } = useWords();
    const [draft, setDraft] = useState<GroupDraft>(groupDraftOf(group));
    const [isAsked, setAsked] = useState(false);
    const act = useAct();
    const isDefault = group?.id === 0;
    const { wish, problems } = readGroup(draft);
    const problem = (field: keyof GroupDraft) => (isAsked ? problems.find((p) => p.field === field) : undefined);
    const input = (field: "name" | "quota" | "keep", isReadOnly = false) => (
        <input
            id={`group-${field}`}
            type="text"
            inputMode={field === "name" ? "text" : "decimal"}
            readOnly={isReadOnly}
            value={draft[field]}
            aria-invalid={problem(field) ? "true" : undefined}
            aria-describedby={`group-${field}-hint`}
            onInput={(e) => setDraft({ ...draft, [field]: e.currentTarget.value })}
        />
    );
    const save = async (e: Event) => {
        e.preventDefault();
        setAsked(true);
        if (problems.length > 0) return;
        if (await act.run(() => (group ? putGroup(group.id, wish) : postGroup(wish)))) {
            onDone();
            onClose();
        }
    };
    return (
        <Dialog title={group ? t("groups.editTitle", { name: group.name }) : t("groups.add")} onClose={onClose} isBusy={act.isBusy}>
            <form class={formCss.form} noValidate onSubmit={(e) => void save(e)}>
                <Field id="group-name" label={t("groups.name")} hint="" problem={problem("name")}>
                    {input("name", isDefault)}
                </Field>
                {isDefault ? (
                    <p class={formCss.hint}>{t("groups.membersDefault")}</p>
                ) : (
                    <Field id="group-members" label={t("groups.members")} hint={t("groups.membersHint")} problem={problem("members")}>
                        <textarea
                            id="group-members"
                            rows={4}
                            spellcheck={false}
                            value={draft.members}
                            aria-invalid={problem("members") ? "true" : undefined}
                            aria-describedby="group-members-hint"
                            onInput={(e) => setDraft({ ...draft, members: e.currentTarget.value })}
                        />
                    </Field>
                )}
                <div class={formCss.two}>
                    <Field id="group-quota" label={t("groups.quota")} hint={t("groups.quotaHint")} problem={problem("quota")}>
                        {input("quota")}
                    </Field>
                    <Field id="group-keep" label={t("groups.keep")} hint={t("groups.keepHint")} problem={problem("keep")}>
                        {input("keep")}
                    </Field>
                </div>
                {act.error && (
                    <p class={formCss.error} role="alert">
                        {errorText(act.error, t)}
                    </p>
                )}
                <div class={ui.actions}>
                    <button type="submit" class={cx(ui.button, ui.primary)} disabled={act.isBusy}>
                        {t("rule.save")}
                    </button>
                    <button type="button" class={ui.button} disabled={act.isBusy} onClick={onClose}>
                        {t("action.cancel")}
                    </button>
                </div>
            </form>
        </Dialog>
    );
}
