import { useMemo, useState } from "preact/hooks";
import type { Histogram } from "../../api/types";
import { histogramOptions, histogramSeries } from "../../charts/histogram";
import { chartColors } from "../../charts/theme";
import { Chart } from "../../components/Chart";
import { useWords } from "../../i18n";
import { isDark } from "../../state/prefs";
import { useStore } from "../../state/store";
import type { Span } from "../../state/timeRange";
import { cx } from "../../utils/cx";
import { formatCount, formatTime } from "../../utils/format";
import { SEVERITIES, SEVERITY_HELP, severityTone } from "../../utils/severity";
import css from "./logs.module.css";

const HEIGHT = 96;

interface Props {
    histogram: Histogram;
    onZoom: (span: Span) => void;
    onSeverity: (name: string) => void;
}

export function HistogramView({ histogram, onZoom, onSeverity }: Props) {
    const { t } = useWords();
    const dark = useStore(isDark);
    const [index, setIndex] = useState<number | null>(null);
    const from = Date.parse(histogram.from);
    const to = Date.parse(histogram.to);
    const data = useMemo(() => histogramSeries(histogram), [histogram]);
    const options = useMemo(
        () => histogramOptions(chartColors(), { from, to }, (a, b) => onZoom({ from: a, to: b })),
        [dark, from, to, onZoom],
    );
    const sums = useMemo(
        () => SEVERITIES.map((_, s) => histogram.buckets.reduce((sum, b) => sum + (b.by_severity[s] ?? 0), 0)),
        [histogram],
    );
    const bucket = index === null ? undefined : histogram.buckets[index];
    return (
        <figure class={css.histogram} aria-label={t("logs.histogram")}>
            <Chart options={options} data={data} height={HEIGHT} onCursor={setIndex} class={css.zoomable} />
            <figcaption class={css.legend}>
                {SEVERITIES.map((name, s) =>
                    sums[s] ? (
                        <button key={name} type="button" class={css.chip} title={t(SEVERITY_HELP[s] ?? "severity.debug")} onClick={() => onSeverity(name)}>
                            <span class={cx(css.edge, css[`sev${s}`])} />
                            <span class={css[severityTone(s)]}>{name}</span> {formatCount((bucket ? bucket.by_severity[s] : sums[s]) ?? 0)}
                        </button>
                    ) : null,
                )}
                <span class={css.under}>
                    {bucket ? t("logs.bucket", { time: formatTime(bucket.at), n: formatCount(bucket.count) }) : t("logs.zoomHelp")}
                </span>
            </figcaption>
        </figure>
    );
}
