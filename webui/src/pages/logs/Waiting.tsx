import { useRef } from "preact/hooks";
import { Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useDelayed, useNow } from "../../state/useNow";
import { cx } from "../../utils/cx";
import { formatSpan } from "../../utils/format";
import css from "./logs.module.css";

/** Before the first page: blocks in its place, and after a second how long it takes and a way out. */
export function Waiting({ onStop }: { onStop: () => void }) {
    const { t } = useWords();
    const began = useRef(Date.now());
    const isLong = useDelayed(true, 1000);
    const now = useNow(1000);
    return (
        <>
            {isLong && (
                <div class={css.summary}>
                    <span>{t("logs.searching", { span: formatSpan(now - began.current) })}</span>
                    <button type="button" class={cx(ui.button, ui.small)} onClick={onStop}>
                        {t("action.cancel")}
                    </button>
                </div>
            )}
            <Skeleton heights={[96, 24, 24, 24, 24, 24, 24]} />
        </>
    );
}

/** After it was cancelled. */
export function Stopped({ onAgain }: { onAgain: () => void }) {
    const { t } = useWords();
    return (
        <div class={ui.note}>
            {t("logs.stopped")}{" "}
            <button type="button" class={cx(ui.button, ui.small)} onClick={onAgain}>
                {t("action.retry")}
            </button>
        </div>
    );
}
