import formCss from "../../components/form.module.css";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import type { Act } from "../../state/useAct";
import { cx } from "../../utils/cx";

/** What the receiver said, and the buttons.  A dialog may be closed while the receiver is asked: it goes on. */
export function DialogFoot({ act, button, onClose }: { act: Act; button: string; onClose: () => void }) {
    const { t } = useWords();
    const { error } = act;
    // the receiver's own sentence, and what the box says of a field, need no words around them
    const text = error && (error.code === "refused" || error.field !== undefined ? error.message : errorText(error, t));
    return (
        <>
            {text && (
                <p class={formCss.error} role="alert">
                    {text}
                </p>
            )}
            {act.isBusy && <p role="status">{t("cert.asking")}</p>}
            <div class={ui.actions}>
                <button type="submit" class={cx(ui.button, ui.primary)} disabled={act.isBusy}>
                    {button}
                </button>
                <button type="button" class={ui.button} onClick={onClose}>
                    {t(act.isBusy ? "action.close" : "action.cancel")}
                </button>
            </div>
        </>
    );
}
