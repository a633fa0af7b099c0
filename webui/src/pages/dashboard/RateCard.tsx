import { useMemo, useState } from "preact/hooks";
import { LISTENERS, type ListenerName, type Rates } from "../../api/types";
import { rateAt, rateData, rateOptions, rateSeries } from "../../charts/rate";
import { maxAndMean } from "../../charts/stack";
import { chartColors } from "../../charts/theme";
import { Chart } from "../../components/Chart";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { isDark } from "../../state/prefs";
import { useStore } from "../../state/store";
import { formatExact, formatRate, formatTime } from "../../utils/format";
import css from "./dashboard.module.css";

const NAME: Record<ListenerName, Key> = { udp: "listener.udp", tcp: "listener.tcp", tls: "listener.tls" };

export function RateCard({ rates, nowMs }: { rates: Rates; nowMs: number }) {
    const { t } = useWords();
    const dark = useStore(isDark);
    const [index, setIndex] = useState<number | null>(null);
    const data = useMemo(() => rateData(rates, nowMs), [rates, nowMs]);
    const series = useMemo(() => rateSeries(data), [data]);
    const colors = useMemo(() => chartColors(), [dark]);
    const from = Date.parse(rates.from);
    const to = Date.parse(rates.to);
    const options = useMemo(() => rateOptions(colors, { from, to }), [colors, from, to]);
    const { max, mean } = maxAndMean(data.total);
    const under = index === null ? null : rateAt(data, index);
    const used = LISTENERS.filter((name) => data.by[name].some((v) => v));
    return (
        <Card
            title={t("dash.rateTitle")}
            aside={
                <span class="dim">
                    {t("dash.max", { n: formatRate(max) })} · {t("dash.mean", { n: formatRate(mean) })}
                </span>
            }
        >
            <div class={css.chart}>
                <Chart options={options} data={series} height={200} onCursor={setIndex} />
            </div>
            <div class={css.legend}>
                {(used.length > 0 ? used : LISTENERS).map((name) => (
                    <span key={name}>
                        <span class={css.swatch} style={{ background: colors.listeners[name] }} />
                        {t(NAME[name])} {under?.values.find(([n]) => n === name)?.[1]}
                    </span>
                ))}
                <span>{under ? under.time : max === 0 ? t("dash.noRates") : ""}</span>
            </div>
            <details class={css.details}>
                <summary>{t("dash.asTable")}</summary>
                <div tabIndex={0} role="group" aria-label={t("dash.rateTitle")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("dash.time")}</th>
                                {LISTENERS.map((name) => (
                                    <th key={name} scope="col" class={ui.num}>
                                        {t(NAME[name])}
                                    </th>
                                ))}
                                <th scope="col" class={ui.num}>
                                    {t("dash.total")}
                                </th>
                            </tr>
                        </thead>
                        <tbody>
                            {data.at.map((at, i) => (
                                <tr key={at}>
                                    <th scope="row" title={formatExact(new Date(at * 1000).toISOString())}>
                                        {formatTime(new Date(at * 1000))}
                                    </th>
                                    {LISTENERS.map((name) => (
                                        <td key={name} class={ui.num}>
                                            {formatRate(data.by[name][i] ?? 0)}
                                        </td>
                                    ))}
                                    <td class={ui.num}>{formatRate(data.total[i] ?? 0)}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            </details>
        </Card>
    );
}
