import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { TAIL_ROWS, type Tail, type TailAction } from "../../state/tail";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./logs.module.css";

interface Props {
    tail: Tail;
    isLost: boolean;
    dispatch: (action: TailAction) => void;
}

/** The state of live mode: waiting, running, skipping, paused, lost. */
export function LiveBar({ tail, isLost, dispatch }: Props) {
    const { t } = useWords();
    const { isPaused, isMore, skipped, waitingCount } = tail;
    let state = t("logs.liveShown", { n: formatCount(TAIL_ROWS) });
    if (isPaused) state = t(isMore ? "logs.livePausedMore" : "logs.livePaused", { n: formatCount(waitingCount) });
    else if (tail.rows.length === 0) state = t("logs.liveWaiting");
    return (
        <div class={css.summary}>
            <span role="status">{isLost ? t("logs.liveLost") : state}</span>
            {(skipped > 0 || isMore) && <span class={css.warn}>{t(isMore ? "logs.liveSkippedMore" : "logs.liveSkipped", { n: formatCount(skipped) })}</span>}
            <span class={css.tools}>
                <button type="button" class={cx(ui.button, ui.small)} onClick={() => dispatch({ type: isPaused ? "resume" : "pause" })}>
                    {t(isPaused ? "logs.liveResume" : "logs.livePause")}
                </button>
            </span>
        </div>
    );
}
