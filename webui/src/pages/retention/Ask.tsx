import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";

interface Props {
    title: string;
    help: string;
    button: string;
    act: () => Promise<unknown>;
    onDone: () => void;
    onClose: () => void;
}

/** One question before something is taken away. */
export function Ask({ title, help, button, act, onDone, onClose }: Props) {
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
                <button type="button" class={cx(ui.button, formCss.danger)} disabled={isBusy} onClick={() => void go()}>
                    {button}
                </button>
                <button type="button" class={ui.button} disabled={isBusy} onClick={onClose}>
                    {t("action.cancel")}
                </button>
            </div>
        </Dialog>
    );
}
