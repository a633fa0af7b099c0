import type uPlot from "uplot";
import { FORMAT, type GraphSpec, type LineSpec } from "../../charts/catalog";
import { graphCsv, graphText, tableColumns } from "../../charts/export";
import { lineSummary } from "../../charts/graph";
import { picture } from "../../charts/picture";
import type { ChartColors } from "../../charts/theme";
import { useWords } from "../../i18n";
import type { View } from "../../state/useWindow";
import { cx } from "../../utils/cx";
import { saveBlob } from "../../utils/save";
import { formatExact, formatTime, formatTimes } from "../../utils/format";
import { Copy } from "../Copy";
import { Icon, type IconName } from "../Icon";
import ui from "../ui.module.css";
import css from "./graph.module.css";

interface Props {
    spec: GraphSpec;
    view: View;
    lines: readonly LineSpec[];
    colors: ChartColors;
    chart: { current: uPlot | null };
}

/** The points of a graph, made only while somebody looks. */
export function Points({ spec, view, lines }: Pick<Props, "spec" | "view" | "lines">) {
    const { t } = useWords();
    const { window } = view;
    const format = FORMAT[spec.unit];
    const columns = tableColumns(lines, window);
    const heads = columns.map(({ line, isMax }) => (isMax ? t("graph.maxOf", { name: t(line.word) }) : line.isLimit || spec.isStacked ? t(line.word) : t("graph.meanOf", { name: t(line.word) })));
    return (
        <div class={css.table}>
            <Copy text={graphText(window, [t("dash.time"), ...heads], columns)} />
            <div class={css.points} tabIndex={0} role="group" aria-label={t(spec.title)}>
                <table class={ui.table}>
                    <thead>
                        <tr>
                            <th scope="col">{t("dash.time")}</th>
                            {heads.map((head) => (
                                <th key={head} scope="col" class={ui.num}>
                                    {head}
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {window.at.map((at, i) => (
                            <tr key={at}>
                                <th scope="row" title={formatExact(new Date(at).toISOString())}>
                                    {formatTime(new Date(at))}
                                </th>
                                {columns.map(({ name }) => {
                                    const value = window.columns[name]?.[i];
                                    return (
                                        <td key={name} class={ui.num}>
                                            {value == null ? "–" : format(value)}
                                        </td>
                                    );
                                })}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </div>
    );
}

/** What else a graph can be had as. */
export function Forms({ spec, view, lines, colors, chart, isTable, onTable }: Props & { isTable: boolean; onTable: () => void }) {
    const { t } = useWords();
    const name = t(spec.title);
    const file = `azekura-${spec.id}-${formatTime(new Date(view.from)).replace(/\D/g, "").slice(0, 12)}`;
    const csv = () => saveBlob(new Blob([graphCsv(view.window, lines)], { type: "text/csv" }), `${file}.csv`);
    const png = async () => {
        const u = chart.current;
        if (!u) return;
        const format = FORMAT[spec.unit];
        const legend = lines
            .filter((line) => !line.isHidden)
            .map((line) => {
                const { max, mean } = lineSummary(view.window, line.column);
                const known = !line.isLimit && max !== null && mean !== null;
                const name = known ? t("graph.maxAndMean", { name: t(line.word), max: format(max), mean: format(mean) }) : t(line.word);
                return { name, color: line.color(colors), isDashed: line.isDashed ?? false };
            });
        const blob = await picture(u, name, formatTimes(new Date(view.from), new Date(view.to)), legend, colors);
        if (blob) saveBlob(blob, `${file}.png`);
    };
    return (
        <div class={css.forms}>
            <Form icon={isTable ? "up" : "down"} word={t("graph.table")} title={t("graph.tableTitle", { name })} isOpen={isTable} act={onTable} />
            <Form icon="export" word={t("graph.csv")} title={t("graph.csvTitle", { name })} act={csv} />
            <Form icon="export" word={t("graph.png")} title={t("graph.pngTitle", { name })} act={() => void png()} />
        </div>
    );
}

function Form({ icon, word, title, isOpen, act }: { icon: IconName; word: string; title: string; isOpen?: boolean; act: () => void }) {
    return (
        <button type="button" class={cx(ui.button, ui.small, ui.bare)} title={title} aria-label={title} aria-expanded={isOpen} onClick={act}>
            <Icon name={icon} />
            {word}
        </button>
    );
}
