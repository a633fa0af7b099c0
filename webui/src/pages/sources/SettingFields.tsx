import type { ComponentChildren } from "preact";
import type { SourceGroup } from "../../api/retention";
import { NAME_MAX, NOTE_MAX } from "../../api/sources";
import formCss from "../../components/form.module.css";
import { useWords } from "../../i18n";
import type { Problem } from "./draft";
import { charsetLabel, framingWord } from "./labels";
import css from "./settings.module.css";
import type { SettingForm } from "./useSettingForm";

export interface Offered {
    zones: readonly string[] | undefined;
    /** Of the box, for what says none. */
    boxZone: string | undefined;
    groups: readonly SourceGroup[] | undefined;
}

interface FieldProps {
    id: string;
    label: string;
    hint: string;
    problem?: string | undefined;
    children: ComponentChildren;
}

function Field({ id, label, hint, problem, children }: FieldProps) {
    return (
        <div class={formCss.field}>
            <label for={id}>{label}</label>
            {children}
            <span id={`${id}-hint`} class={problem ? formCss.error : formCss.hint} role={problem ? "alert" : undefined}>
                {problem ?? hint}
            </span>
        </div>
    );
}

function Network({ form, choices, problem }: { form: SettingForm; choices: readonly string[] | null; problem: string | undefined }) {
    const { t } = useWords();
    const { network } = form.draft;
    const rows = form.settings.rows;
    if (!choices) {
        return (
            <input
                id="setting-network"
                type="text"
                spellcheck={false}
                maxLength={64}
                value={network}
                aria-invalid={problem ? "true" : undefined}
                aria-describedby="setting-network-hint"
                placeholder={"192.0.2.0/24"}
                onInput={(e) => form.set({ network: e.currentTarget.value })}
            />
        );
    }
    return (
        <select id="setting-network" aria-describedby="setting-network-hint" value={network} onChange={(e) => form.choose(e.currentTarget.value)}>
            {choices.map((choice) => (
                <option key={choice} value={choice}>
                    {t(rows.some((row) => row.network === choice) ? "src.for.row" : choice.includes("/") ? "src.for.network" : "src.for.alone", { network: choice })}
                </option>
            ))}
        </select>
    );
}

interface Props {
    form: SettingForm;
    offered: Offered;
    /** Networks to choose from; null: one is typed. */
    choices: readonly string[] | null;
    isReadOnly: boolean;
}

/** What can be said of a network's sources. */
export function SettingFields({ form, offered, choices, isReadOnly }: Props) {
    const { t, lang } = useWords();
    const { draft, set, settings } = form;
    const has = (problem: Problem) => form.problems.includes(problem);
    const networkProblem = choices || draft.network === "" ? undefined : has("network") ? t("src.networkWrong") : has("twice") ? t("src.twice") : undefined;
    const boxZone = offered.boxZone ?? "";
    return (
        <fieldset class={css.fields} disabled={isReadOnly || form.act.isBusy}>
            <legend class="visually-hidden">{t("src.settings")}</legend>
            <Field id="setting-network" label={t("src.for")} hint={t(choices && choices.length > 1 ? "src.forHint" : "src.networkHint")} problem={networkProblem}>
                <Network form={form} choices={choices} problem={networkProblem} />
            </Field>
            <Field id="setting-name" label={t("src.name")} hint={t("src.nameHint")}>
                <input id="setting-name" type="text" maxLength={NAME_MAX} value={draft.name} aria-describedby="setting-name-hint" onInput={(e) => set({ name: e.currentTarget.value })} />
            </Field>
            <Field id="setting-zone" label={t("src.zone")} hint={t("src.zoneHint", { zone: boxZone })} problem={has("zone") ? t("src.zoneWrong") : undefined}>
                <input
                    id="setting-zone"
                    type="text"
                    list="setting-zones"
                    autoComplete="off"
                    spellcheck={false}
                    maxLength={64}
                    placeholder={t("src.zoneBox", { zone: boxZone })}
                    value={draft.zone}
                    aria-invalid={has("zone") ? "true" : undefined}
                    aria-describedby="setting-zone-hint"
                    onInput={(e) => set({ zone: e.currentTarget.value })}
                />
                <datalist id="setting-zones">
                    {(offered.zones ?? []).map((zone) => (
                        <option key={zone} value={zone} />
                    ))}
                </datalist>
            </Field>
            <Field id="setting-charset" label={t("src.charset")} hint={t("src.charsetHint")}>
                <select id="setting-charset" value={draft.charset} aria-describedby="setting-charset-hint" onChange={(e) => set({ charset: e.currentTarget.value })}>
                    <option value="">{"UTF-8"}</option>
                    {settings.charsets.map((c) => (
                        <option key={c.name} value={c.name}>
                            {charsetLabel(settings.charsets, c.name, lang)}
                        </option>
                    ))}
                </select>
            </Field>
            <Field id="setting-framing" label={t("src.framing")} hint={t("src.framingHint")}>
                <select id="setting-framing" value={draft.framing} aria-describedby="setting-framing-hint" onChange={(e) => set({ framing: e.currentTarget.value })}>
                    <option value="">{t("src.framing.listener")}</option>
                    {settings.framings.map((framing) => (
                        <option key={framing} value={framing}>
                            {t(framingWord(framing))}
                        </option>
                    ))}
                </select>
            </Field>
            <Field id="setting-group" label={t("src.group")} hint={t("src.groupHint")}>
                <select id="setting-group" value={draft.group} aria-describedby="setting-group-hint" onChange={(e) => set({ group: e.currentTarget.value })}>
                    <option value="">{t("src.groupNone")}</option>
                    {(offered.groups ?? [])
                        .filter((g) => g.id !== 0 && !g.retired)
                        .map((g) => (
                            <option key={g.id} value={String(g.id)}>
                                {g.name}
                            </option>
                        ))}
                </select>
            </Field>
            <div class={css.whole}>
                <Field id="setting-note" label={t("src.note")} hint={t("src.noteHint")}>
                    <input id="setting-note" type="text" maxLength={NOTE_MAX} value={draft.note} aria-describedby="setting-note-hint" onInput={(e) => set({ note: e.currentTarget.value })} />
                </Field>
            </div>
        </fieldset>
    );
}
