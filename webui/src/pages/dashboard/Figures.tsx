import type { Ledger, Sources } from "../../api/types";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { live, REPORT_STALE_US } from "../../state/live";
import { useStore } from "../../state/store";
import { cx } from "../../utils/cx";
import { formatAgo, formatBytes, formatCount, formatRate } from "../../utils/format";
import css from "./dashboard.module.css";

const NONE = "–";

function Figure({ label, value, bad = false, children }: { label: string; value: string; bad?: boolean; children: string }) {
    return (
        <section class={cx(ui.card, css.figure, bad && css.bad)} aria-label={label}>
            <h2>{label}</h2>
            <b>{value}</b>
            <p>{children}</p>
        </section>
    );
}

/** Is it all right?  Four figures with a sentence each. */
export function FourFigures({ ledger, sources }: { ledger: Ledger | undefined; sources: Sources | undefined }) {
    const { t, lang } = useWords();
    const { rate, lost, receiver, at } = useStore(live);
    const heard = sources?.sources.filter((s) => s.range.arrived > 0).length ?? 0;
    const sum = lost ? lost.refused + lost.dropped : 0;
    const silent = receiver !== null && receiver.age_us >= REPORT_STALE_US;
    let loss = t("dash.unknown");
    if (lost) {
        loss = sum > 0 ? t("dash.loss", { refused: formatCount(lost.refused), dropped: formatCount(lost.dropped) }) : t("dash.noLoss");
    }
    let queue = ledger ? t("dash.noReceiver") : t("dash.unknown");
    if (receiver) {
        queue = silent
            ? t("dash.receiverSilent", { age: formatAgo(receiver.at, Math.max(at, Date.parse(receiver.at)), lang) })
            : t(receiver.queued > 0 ? "dash.queue" : "dash.queueNone", { bytes: formatBytes(receiver.queue_bytes), n: formatCount(receiver.connections) });
    }
    return (
        <div class={css.figures}>
            <Figure label={t("dash.rateLabel")} value={rate === null ? NONE : formatRate(rate)}>
                {sources ? t("dash.receiving", { n: formatCount(heard) }) : t("dash.unknown")}
            </Figure>
            <Figure label={t("dash.lossLabel")} value={lost ? formatCount(sum) : NONE} bad={sum > 0}>
                {loss}
            </Figure>
            <Figure label={t("dash.storedLabel")} value={ledger ? formatCount(ledger.total.stored) : NONE}>
                {ledger ? t("dash.stored", { bytes: formatBytes(ledger.total.bytes) }) : t("dash.unknown")}
            </Figure>
            <Figure label={t("dash.queueLabel")} value={receiver ? formatCount(receiver.queued) : NONE} bad={silent}>
                {queue}
            </Figure>
        </div>
    );
}

