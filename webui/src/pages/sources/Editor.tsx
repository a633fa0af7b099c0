import { useState } from "preact/hooks";
import { Ask } from "../../components/Ask";
import formCss from "../../components/form.module.css";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { draftOf, effectsOf, networkOf, type Draft } from "./draft";
import { Preview } from "./Preview";
import { SettingFields, type Offered } from "./SettingFields";
import css from "./settings.module.css";
import type { SettingForm } from "./useSettingForm";

const SAID = { saved: "src.saved", undone: "src.undone", removed: "src.removed" } as const;

function Refused({ form }: { form: SettingForm }) {
    const { t } = useWords();
    const { error } = form.act;
    if (!error) return null;
    const isOthers = error.status === 409;
    return (
        <div role="alert">
            <p class={formCss.error}>{isOthers || error.field !== undefined ? error.message : errorText(error, t)}</p>
            {isOthers && (
                <button type="button" class={cx(ui.button, ui.small)} onClick={() => void form.reread()}>
                    {t("src.reread")}
                </button>
            )}
        </div>
    );
}

/** What saving does, before it is done. */
function Effects({ form, reading }: { form: SettingForm; reading: Draft | null }) {
    const { t } = useWords();
    if (!form.isChanged) return null;
    const effects = effectsOf(reading, form.draft);
    const network = networkOf(form.draft.network);
    const overruled = network !== null && form.row === null && form.inForce !== null ? form.inForce.network : null;
    return (
        <ul class={css.effects} aria-label={t("src.does")}>
            <li>{t("src.does.network", { network: form.draft.network })}</li>
            {overruled && <li>{t("src.does.overrules", { network: overruled })}</li>}
            {effects.map((key) => (
                <li key={key}>{t(key)}</li>
            ))}
        </ul>
    );
}

interface Props {
    form: SettingForm;
    offered: Offered;
    choices: readonly string[] | null;
    isReadOnly: boolean;
    /** Of the last time that messages were parsed again. */
    since: string;
    onClose?: () => void;
}

/** The form of one row, with what it would make of stored messages before it is saved. */
export function Editor({ form, offered, choices, isReadOnly, since, onClose }: Props) {
    const { t } = useWords();
    const [isAsking, setAsking] = useState(false);
    const { draft, row, inForce } = form;
    const reading = inForce ? draftOf(inForce) : null;
    const network = networkOf(draft.network);
    const isOther = draft.zone.trim() !== (reading?.zone ?? "") || draft.charset !== (reading?.charset ?? "");
    const isShown = network !== null && !form.problems.includes("zone") && (isOther || form.said !== null);
    return (
        <form
            class={css.body}
            noValidate
            onSubmit={(e) => {
                e.preventDefault();
                if (form.isChanged && form.problems.length === 0) void form.save();
            }}
        >
            <SettingFields form={form} offered={offered} choices={choices} isReadOnly={isReadOnly} />
            {isShown && <Preview network={network} zone={draft.zone.trim() || null} charset={draft.charset || null} since={since} />}
            <Effects form={form} reading={reading} />
            <Refused form={form} />
            {isReadOnly ? (
                <p class="dim">{t("src.readOnly")}</p>
            ) : (
                <div class={css.acts}>
                    <button type="submit" class={cx(ui.button, ui.primary)} disabled={!form.isChanged || form.act.isBusy || form.problems.length > 0}>
                        {t("settings.save")}
                    </button>
                    {form.isChanged && (
                        <button type="button" class={ui.button} disabled={form.act.isBusy} onClick={form.discard}>
                            {t("settings.discard")}
                        </button>
                    )}
                    {form.mayUndo && (
                        <button type="button" class={ui.button} disabled={form.act.isBusy} onClick={() => void form.undo()}>
                            {t("src.undo")}
                        </button>
                    )}
                    {row && !form.isChanged && (
                        <button type="button" class={ui.button} disabled={form.act.isBusy} onClick={() => setAsking(true)}>
                            {t("src.remove", { network: row.network })}
                        </button>
                    )}
                    {onClose && !form.isChanged && (
                        <button type="button" class={ui.button} onClick={onClose}>
                            {t("action.close")}
                        </button>
                    )}
                    <span role="status">{form.said && t(SAID[form.said])}</span>
                </div>
            )}
            {isAsking && row && (
                <Ask
                    title={t("src.remove", { network: row.network })}
                    help={t("src.removeHelp", { network: row.network, n: formatCount(row.sources) })}
                    button={t("src.remove", { network: row.network })}
                    act={form.remove}
                    onDone={() => undefined}
                    onClose={() => setAsking(false)}
                />
            )}
        </form>
    );
}
