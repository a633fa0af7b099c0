import type { Ledger } from "../../api/types";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./equation.module.css";

function Term({ n, word, bad = false }: { n: number; word: string; bad?: boolean }) {
    return (
        <div class={cx(css.term, bad && n > 0 && css.bad)}>
            <b>{formatCount(n)}</b>
            <span>{word}</span>
        </div>
    );
}

/** What no count explains: in the rows, else in the receiver's own report. */
function unexplained({ total, receiver }: Ledger): number {
    const inRows = total.arrived - total.stored - total.refused;
    if (inRows !== 0 || !receiver) return Math.abs(inRows);
    return Math.abs(receiver.arrived - receiver.stored - receiver.refused - receiver.queued);
}

/** arrived = stored + refused + waiting, and what the kernel dropped beside it.  What waits has no minute
 * yet: it belongs to a range that ends now, and to no other. */
export function Equation({ ledger, endsNow }: { ledger: Ledger; endsNow: boolean }) {
    const { t } = useWords();
    const { total, receiver, kernel_dropped: dropped, balanced } = ledger;
    const queued = endsNow ? (receiver?.queued ?? 0) : 0;
    return (
        <>
            <div class={css.equation}>
                <Term n={total.arrived + queued} word={t("ledger.arrived")} />
                <span class={css.sign}>=</span>
                <Term n={total.stored} word={t("ledger.stored")} />
                <span class={css.sign}>+</span>
                <Term n={total.refused} word={t("ledger.refused")} bad />
                {endsNow && <span class={css.sign}>+</span>}
                {endsNow && <Term n={queued} word={t("ledger.queued")} />}
                <div class={css.beside} title={t("ledger.kernelHelp")}>
                    <Term n={dropped.total} word={t("ledger.kernel")} bad />
                </div>
            </div>
            <p class={cx(css.say, balanced ? css.good : css.bad)}>
                {balanced ? t("ledger.balanced") : t("ledger.unbalanced", { n: formatCount(unexplained(ledger)) })}
            </p>
        </>
    );
}
