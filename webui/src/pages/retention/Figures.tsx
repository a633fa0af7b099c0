import type { MonthState, Retention } from "../../api/retention";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatDays } from "../../utils/days";
import { CENTURY, daysText, formatPercent, percentOf } from "../../utils/figures";
import { formatCount, formatDay, formatExact } from "../../utils/format";
import css from "./retention.module.css";
import type { Reader } from "./texts";
import type { View } from "./view";

const STATE: Record<MonthState, Key> = {
    ok: "state.ok",
    watch: "state.watch",
    over_forecast: "state.over_forecast",
    over: "state.over",
};

function Figure({ label, value, tone, title, children }: { label: string; value: string; tone?: string | false; title?: string; children: string }) {
    return (
        <section class={cx(ui.card, css.figure, tone)} aria-label={label}>
            <h2>{label}</h2>
            <b title={title}>{value}</b>
            <p>{children}</p>
        </section>
    );
}

function forecastText(r: Retention, t: Reader["t"]): string {
    const { basis, bytes, low_bytes, high_bytes } = r.forecast;
    if (basis === "none") return t("fig.noForecast");
    const percent = (n: number) => formatPercent(percentOf(n, r.capacity_bytes));
    return t("fig.will", { n: percent(bytes), low: percent(low_bytes), high: percent(high_bytes) });
}

/** The day the budget is reached, and how sure that is. */
function reached(r: Retention, { t, lang, today }: Reader): { value: string; says: string } {
    const { basis, reached_on: on, reached_earliest: earliest, reached_latest: latest } = r.forecast;
    const day = (d: string) => formatDays(d, d, lang, today);
    if (r.state === "over") return { value: t("fig.usedUp"), says: t(STATE.over) };
    if (basis === "none") return { value: t("fig.unknown"), says: t("fig.noForecast") };
    const value = on ? day(on) : t("fig.notThisMonth");
    if (earliest && latest) return { value, says: t("fig.between", { from: day(earliest), to: day(latest) }) };
    if (earliest) return { value, says: t("fig.earliest", { from: day(earliest) }) };
    return { value, says: t("fig.never") };
}

export function Figures({ view: { data: r, reader } }: { view: View }) {
    const { t } = useWords();
    const { oldest, days, fits_days: fits, fits_low: low, fits_high: high } = r.history;
    const tone = r.state === "ok" ? "" : r.state === "over" ? css.bad : css.warn;
    const when = reached(r, reader);
    const span = (n: number) => daysText(n, t);
    return (
        <div class={css.figures}>
            <Figure
                label={`${t("fig.month")}${r.state === "ok" ? "" : ` · ${t(STATE[r.state])}`}`}
                value={t("fig.of", { used: formatPercent(percentOf(r.month_bytes, r.capacity_bytes)), share: r.month_share_percent })}
                tone={tone}
            >
                {forecastText(r, t)}
            </Figure>
            <Figure label={t("fig.reached")} value={when.value} tone={r.state === "over" && css.bad}>
                {when.says}
            </Figure>
            <Figure label={t("fig.history")} value={span(days)} title={oldest ? formatExact(oldest) : ""}>
                {oldest ? t("fig.backTo", { at: formatDay(oldest) }) : t("fig.nothing")}
            </Figure>
            <Figure label={t("fig.fits")} value={fits === null ? t("fig.unknown") : fits >= CENTURY ? span(fits) : t("fig.about", { n: span(fits) })}>
                {[
                    low !== null && high !== null && low < CENTURY ? t("fig.fitsRange", { low: span(low), high: span(high) }) : "",
                    r.keep_days > 0 ? t("fig.keepDays", { n: formatCount(r.keep_days) }) : "",
                    fits === null && r.keep_days === 0 ? t("fig.noForecast") : "",
                ]
                    .filter(Boolean)
                    .join(" ")}
            </Figure>
        </div>
    );
}
