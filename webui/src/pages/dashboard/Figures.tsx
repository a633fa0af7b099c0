import { boxTime } from "../../api/client";
import type { Sources } from "../../api/types";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { live, REPORT_STALE_US } from "../../state/live";
import { month, sharesOf } from "../../state/month";
import { useStore } from "../../state/store";
import { cx } from "../../utils/cx";
import { daysText } from "../../utils/figures";
import { formatAgo, formatBytes, formatCount, formatDate, formatRate } from "../../utils/format";
import css from "./dashboard.module.css";
import { isQueueing } from "./problems";

const NONE = "–";

interface FigureProps {
    label: string;
    href: string;
    value: string;
    tone?: "good" | "warn" | "bad";
    children: string;
}

function Figure({ label, href, value, tone = "good", children }: FigureProps) {
    return (
        <section class={cx(ui.card, css.figure, tone !== "good" && css[tone])} aria-label={label}>
            <h2>
                <a href={href}>{label}</a>
            </h2>
            <b>{value}</b>
            <p>{children}</p>
        </section>
    );
}

function RateFigure({ sources }: { sources: Sources | undefined }) {
    const { t, lang } = useWords();
    const { rate, receiver, at } = useStore(live);
    const isSilent = receiver !== null && receiver.age_us >= REPORT_STALE_US;
    const heard = sources?.sources.filter((s) => s.range.arrived > 0).length ?? 0;
    const isAll = sources !== undefined && heard < sources.sources.length;
    const n = `${formatCount(heard)}${isAll || (sources && heard === sources.total) ? "" : "+"}`;
    let text = sources ? t("dash.receiving", { n }) : t("dash.unknown");
    if (receiver && isQueueing(receiver, rate)) {
        text = t("dash.queue", { n: formatCount(receiver.queued), bytes: formatBytes(receiver.queue_bytes) });
    }
    if (isSilent) text = t("dash.receiverSilent", { age: formatAgo(receiver.at, Math.max(boxTime(at), Date.parse(receiver.at)), lang) });
    return (
        <Figure label={t("dash.rateLabel")} href="/sources?tab=rates" value={rate === null ? NONE : formatRate(rate)} tone={isSilent ? "bad" : "good"}>
            {text}
        </Figure>
    );
}

/** `since`: the last day with a loss, "" where none is known of, null while unknown. */
function LossFigure({ since }: { since: string | null }) {
    const { t, lang } = useWords();
    const { lost } = useStore(live);
    const sum = lost ? lost.refused + lost.dropped : 0;
    let text = t("dash.unknown");
    if (lost && sum > 0) text = t("dash.loss", { refused: formatCount(lost.refused), dropped: formatCount(lost.dropped) });
    else if (lost) text = since ? t("dash.noLossSince", { day: formatDate(since, lang) }) : t(since === "" ? "dash.neverLost" : "dash.noLoss");
    return (
        <Figure label={t("dash.lossLabel")} href="/receiver" value={lost ? formatCount(sum) : NONE} tone={sum > 0 ? "bad" : "good"}>
            {text}
        </Figure>
    );
}

function HistoryFigure() {
    const { t, lang } = useWords();
    const { data, error } = useStore(month);
    let text = error ? errorText(error, t) : t("dash.unknown");
    if (data) {
        const { oldest, fits_low: low, fits_high: high, fits_days: fits } = data.history;
        text = oldest ? t("dash.historyBack", { day: formatDate(oldest, lang) }) : t("dash.historyNone");
        if (oldest && fits !== null) {
            const least = daysText(low ?? fits, t);
            const most = daysText(high ?? fits, t);
            text += least === most ? t("dash.historyFits", { n: most }) : t("dash.historyFitsRange", { low: least, high: most });
        }
    }
    return (
        <Figure label={t("dash.historyLabel")} href="/retention" value={data ? daysText(data.history.days, t) : NONE}>
            {text}
        </Figure>
    );
}

function MonthFigure() {
    const { t, lang } = useWords();
    const { data, error } = useStore(month);
    if (!data) {
        return (
            <Figure label={t("dash.monthLabel")} href="/retention" value={NONE}>
                {error ? errorText(error, t) : t("dash.unknown")}
            </Figure>
        );
    }
    const shares = sharesOf(data);
    const used = t("dash.monthBytes", { bytes: formatBytes(data.month_bytes), budget: formatBytes(data.budget_bytes) });
    const end = shares.end === null ? t("dash.monthNoForecast") : t("dash.monthEnd", { n: shares.end });
    const reached = data.forecast.reached_on ? t("dash.monthReached", { day: formatDate(data.forecast.reached_on, lang) }) : "";
    return (
        <Figure label={t("dash.monthLabel")} href="/retention" value={t("dash.month", { n: shares.used, of: shares.budget })} tone={shares.tone}>
            {`${used}${data.state === "over" ? t("dash.monthOver") : end}${data.state === "over" ? "" : reached}`}
        </Figure>
    );
}

/** Is it all right?  Four figures with a sentence each. */
export function FourFigures({ sources, lossSince }: { sources: Sources | undefined; lossSince: string | null }) {
    return (
        <div class={css.figures}>
            <RateFigure sources={sources} />
            <LossFigure since={lossSince} />
            <HistoryFigure />
            <MonthFigure />
        </div>
    );
}
