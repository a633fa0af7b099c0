import { useWords } from "../i18n";
import { useAct } from "../state/useAct";
import { cx } from "../utils/cx";
import { Dialog } from "./Dialog";
import formCss from "./form.module.css";
import { errorText } from "./States";
import ui from "./ui.module.css";

interface Props {
    title: string;
    help: string;
    button: string;
    /** Nothing is taken away. */
    isHarmless?: boolean;
    act: () => Promise<unknown>;
    onDone: () => void;
    onClose: () => void;
}

/** One question before something is done that others notice. */
export function Ask({ title, help, button, isHarmless = false, act, onDone, onClose }: Props) {
    const { t } = useWords();
    const { isBusy, error, run } = useAct();
    const go = async () => {
        if (await run(act)) {
            onDone();
            onClose();
        }
    };
    return (
        <Dialog title={title} onClose={onClose} isBusy={isBusy}>
            <p>{help}</p>
            {error && (
                <p class={formCss.error} role="alert">
                    {errorText(error, t)}
                </p>
            )}
            <div class={ui.actions}>
                <button type="button" class={cx(ui.button, isHarmless ? ui.primary : formCss.danger)} disabled={isBusy} onClick={() => void go()}>
                    {button}
                </button>
                <button type="button" class={ui.button} disabled={isBusy} onClick={onClose}>
                    {t("action.cancel")}
                </button>
            </div>
        </Dialog>
    );
}
