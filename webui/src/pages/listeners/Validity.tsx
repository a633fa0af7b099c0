import { boxNow } from "../../api/client";
import { Meter } from "../../components/Meter";
import { useWords, type Key } from "../../i18n";
import { useNow } from "../../state/useNow";
import { cx } from "../../utils/cx";
import { formatCount, formatDay, formatExact } from "../../utils/format";
import { expiryOf, type Expiry } from "./expiry";
import css from "./listeners.module.css";

const SAY: Record<Expiry["state"], Key> = {
    good: "cert.daysLeft",
    soon: "cert.daysLeft",
    urgent: "cert.daysLeft",
    expired: "cert.expired",
    not_yet: "cert.notYet",
};
const NOW_MS = 60_000;

/** How much of a certificate's life has passed, and what is to be done. */
export function Validity({ of }: { of: { not_before: string; not_after: string } }) {
    const { t } = useWords();
    useNow(NOW_MS);
    const e = expiryOf(of, boxNow());
    const isWarning = e.tone !== "good";
    return (
        <div class={css.validity}>
            <span class={cx(e.tone === "warn" && css.warnText, e.tone === "bad" && css.bad)} role={isWarning ? "alert" : undefined}>
                {t(SAY[e.state], { n: formatCount(Math.abs(e.daysLeft)) })}
                {(e.state === "soon" || e.state === "urgent") && ` ${t("cert.renew")}`}
            </span>
            <Meter share={e.share} tone={e.tone} />
            <span class={css.ends}>
                <span title={formatExact(of.not_before)}>{formatDay(of.not_before)}</span>
                <span title={formatExact(of.not_after)}>{formatDay(of.not_after)}</span>
            </span>
        </div>
    );
}
