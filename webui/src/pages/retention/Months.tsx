import { useEffect, useMemo, useRef } from "preact/hooks";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatMonth, formatMonthShort } from "../../utils/days";
import { formatPercent, percentOf } from "../../utils/figures";
import { formatBytes, formatCount } from "../../utils/format";
import { monthBars, topOf, type MonthBar } from "./months";
import css from "./months.module.css";
import type { View } from "./view";

interface BarProps {
    bar: MonthBar;
    top: number;
    budget: number;
    capacity: number;
    /** The first bar and each January say the year. */
    isFirst: boolean;
    isChosen: boolean;
    onChoose: () => void;
}

function Bar({ bar, top, budget, capacity, isFirst, isChosen, onChoose }: BarProps) {
    const { t, lang } = useWords();
    const height = (bytes: number) => `${Math.min(100, percentOf(bytes, top))}%`;
    const f = bar.forecast;
    const says = [
        t("months.bar", { month: formatMonth(bar.month, lang), bytes: formatBytes(bar.bytes), percent: formatPercent(percentOf(bar.bytes, budget)) }),
        f && t("months.barForecast", { bytes: formatBytes(f.bytes), low: formatBytes(f.low), high: formatBytes(f.high) }),
    ].filter(Boolean);
    return (
        <li>
            <button
                type="button"
                class={cx(css.bar, isChosen && css.chosen)}
                aria-pressed={isChosen}
                title={says.join("\n")}
                onClick={onChoose}
            >
                <span class="visually-hidden">{says.join(lang === "ja" ? "。" : "; ")}</span>
                <span class={css.plot} aria-hidden="true">
                    {f && <span class={css.forecast} style={{ height: height(f.bytes) }} />}
                    <span class={cx(css.used, bar.bytes > budget && css.over)} style={{ height: height(bar.bytes) }} />
                    {f && <span class={css.whisker} style={{ bottom: height(f.low), height: `calc(${height(f.high)} - ${height(f.low)})` }} />}
                </span>
                <span class={css.name} aria-hidden="true">
                    {formatMonthShort(bar.month, lang)}
                    <span>{`${formatPercent(percentOf(bar.bytes, capacity))} %`}</span>
                    <span>{isFirst ? bar.month.slice(0, 4) : "\u00a0"}</span>
                </span>
            </button>
        </li>
    );
}

function MonthTable({ bars, budget }: { bars: MonthBar[]; budget: number }) {
    const { t, lang } = useWords();
    return (
        <details class={css.details}>
            <summary>{t("ret.asTable")}</summary>
            <div tabIndex={0} role="group" aria-label={t("months.title")}>
                <table class={ui.table}>
                    <thead>
                        <tr>
                            <th scope="col">{t("months.month")}</th>
                            <th scope="col" class={ui.num}>
                                {t("days.disk")}
                            </th>
                            <th scope="col" class={ui.num}>
                                {t("months.ofBudget")}
                            </th>
                            <th scope="col" class={ui.num}>
                                {t("days.messages")}
                            </th>
                            <th scope="col" class={ui.num}>
                                {t("days.raw")}
                            </th>
                            <th scope="col" class={ui.num}>
                                {t("months.days")}
                            </th>
                        </tr>
                    </thead>
                    <tbody>
                        {[...bars].reverse().map(({ month, bytes, data }) => (
                            <tr key={month}>
                                <th scope="row">{formatMonth(month, lang)}</th>
                                <td class={ui.num}>{formatBytes(bytes)}</td>
                                <td class={ui.num}>{`${formatPercent(percentOf(bytes, budget))} %`}</td>
                                <td class={ui.num}>{formatCount(data?.messages ?? 0)}</td>
                                <td class={ui.num}>{formatBytes(data?.raw_bytes ?? 0)}</td>
                                <td class={ui.num}>{formatCount(data?.days ?? 0)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </details>
    );
}

/** A bar a month, with the budget as a line; a click shows its days. */
export function Months({ view: { data: r }, chosen, onChoose }: { view: View; chosen: string; onChoose: (month: string) => void }) {
    const { t } = useWords();
    const bars = useMemo(() => monthBars(r), [r]);
    const budget = r.budget_bytes;
    const top = topOf(bars, budget);
    const place = useRef<HTMLDivElement>(null);
    useEffect(() => {
        if (place.current) place.current.scrollLeft = place.current.scrollWidth;
    }, [bars.length]);
    return (
        <Card title={t("months.title")} aside={<span class="dim">{t("months.budget", { n: formatBytes(budget) })}</span>}>
            <div class={css.frame}>
                <div class={css.scroll} ref={place} tabIndex={0} role="group" aria-label={t("months.title")}>
                    <div class={css.inner}>
                        <div class={css.line} style={{ bottom: `calc(var(--foot) + (100% - var(--foot)) * ${budget / top})` }} aria-hidden="true" />
                        <ol class={css.bars}>
                            {bars.map((bar, i) => (
                                <Bar
                                    key={bar.month}
                                    bar={bar}
                                    top={top}
                                    budget={budget}
                                    capacity={r.capacity_bytes}
                                    isFirst={i === 0 || bar.month.endsWith("-01")}
                                    isChosen={bar.month === chosen}
                                    onChoose={() => onChoose(bar.month)}
                                />
                            ))}
                        </ol>
                    </div>
                </div>
            </div>
            <p class={css.legend}>
                <span>
                    <i class={css.keyUsed} /> {t("months.used")}
                </span>
                <span>
                    <i class={css.keyForecast} /> {t("months.forecast")}
                </span>
                <span>
                    <i class={css.keyWhisker} /> {t("months.interval")}
                </span>
                <span>
                    <i class={css.keyLine} /> {t("months.budget", { n: formatBytes(budget) })}
                </span>
            </p>
            <MonthTable bars={bars} budget={budget} />
        </Card>
    );
}
