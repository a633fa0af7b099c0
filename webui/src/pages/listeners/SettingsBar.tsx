import { errorText } from "../../components/States";
import { useWords } from "../../i18n";
import { ChangeBar } from "./ChangeBar";
import { effectsOf } from "./effects";
import type { SettingsForm } from "./useSettingsForm";
import type { View } from "./view";

/** The bar of a form of settings. */
export function SettingsBar({ view, form }: { view: View; form: SettingsForm }) {
    const { t } = useWords();
    const { error } = form.act;
    const isAtField = error?.field !== undefined && error.field in form.draft;
    return (
        <ChangeBar
            label={t("settings.title")}
            n={form.n}
            effects={effectsOf(view.settings, form.draft, t)}
            error={error && !isAtField ? errorText(error, t) : null}
            isBusy={form.act.isBusy}
            isWrong={form.isWrong}
            said={form.said}
            mayUndo={form.mayUndo}
            onSave={() => void form.save()}
            onDiscard={form.discard}
            onUndo={() => void form.undo()}
        />
    );
}
