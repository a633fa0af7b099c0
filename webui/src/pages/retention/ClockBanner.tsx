import { confirmClock, type Retention } from "../../api/retention";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { formatTime } from "../../utils/format";
import css from "./retention.module.css";

/** What a doubtful clock stops, and how it is trusted again. */
export function ClockBanner({ clock, mayConfirm, onDone }: { clock: Retention["clock"]; mayConfirm: boolean; onDone: () => void }) {
    const { t } = useWords();
    const act = useAct();
    if (!clock.is_doubted) return null;
    const moment = (at: string | null) => (at ? formatTime(at) : "?");
    const confirm = async () => {
        if (await act.run(confirmClock)) onDone();
    };
    return (
        <section class={css.clock} aria-label={t("clock.title")}>
            <h2>{t("clock.title")}</h2>
            <p>
                {clock.from && clock.to && t("clock.jump", { since: moment(clock.since), from: moment(clock.from), to: moment(clock.to) })}{" "}
                {t("clock.means")}
            </p>
            {mayConfirm ? (
                <div class={ui.actions}>
                    <button type="button" class={cx(ui.button, ui.primary)} disabled={act.isBusy} onClick={() => void confirm()}>
                        {t("clock.confirm")}
                    </button>
                    {act.error && (
                        <span class={css.bad} role="alert">
                            {errorText(act.error, t)}
                        </span>
                    )}
                </div>
            ) : (
                <p class="dim">{t("clock.asks")}</p>
            )}
        </section>
    );
}
