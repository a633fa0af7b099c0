import { useState } from "preact/hooks";
import { postHold } from "../../api/retention";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { addDays, dayStart, formatDays } from "../../utils/days";
import type { View } from "./view";

interface Props {
    view: View;
    from: string;
    to: string;
    group: string | null;
    onDone: () => void;
    onClose: () => void;
}

/** Days that may not be deleted, and why. */
export function HoldDialog({ view, from, to, group, onDone, onClose }: Props) {
    const { t, lang } = useWords();
    const [reason, setReason] = useState("");
    const [isAsked, setAsked] = useState(false);
    const act = useAct();
    const { zone } = view.data;
    const days = formatDays(from, to, lang, view.reader.today);
    const isMissing = isAsked && reason.trim() === "";
    const save = async (e: Event) => {
        e.preventDefault();
        setAsked(true);
        if (reason.trim() === "") return;
        const hold = { from: dayStart(from, zone).toISOString(), to: dayStart(addDays(to, 1), zone).toISOString(), group, reason: reason.trim() };
        if (await act.run(() => postHold(hold))) {
            onDone();
            onClose();
        }
    };
    return (
        <Dialog title={t("hold.title", { days })} onClose={onClose} isBusy={act.isBusy}>
            <form class={formCss.form} noValidate onSubmit={(e) => void save(e)}>
                <p>{t("hold.help")}</p>
                {group && <p>{`${t("days.group")}: ${group}`}</p>}
                <div class={formCss.field}>
                    <label for="hold-reason">{t("hold.reason")}</label>
                    <input
                        id="hold-reason"
                        type="text"
                        maxLength={200}
                        value={reason}
                        aria-invalid={isMissing ? "true" : undefined}
                        aria-describedby="hold-hint"
                        onInput={(e) => setReason(e.currentTarget.value)}
                    />
                    <span id="hold-hint" class={isMissing ? formCss.error : formCss.hint} role={isMissing ? "alert" : undefined}>
                        {t(isMissing ? "hold.needReason" : "hold.reasonHint")}
                    </span>
                </div>
                {act.error && (
                    <p class={formCss.error} role="alert">
                        {errorText(act.error, t)}
                    </p>
                )}
                <div class={ui.actions}>
                    <button type="submit" class={cx(ui.button, ui.primary)} disabled={act.isBusy}>
                        {t("hold.save", { days })}
                    </button>
                    <button type="button" class={ui.button} disabled={act.isBusy} onClick={onClose}>
                        {t("action.cancel")}
                    </button>
                </div>
            </form>
        </Dialog>
    );
}
