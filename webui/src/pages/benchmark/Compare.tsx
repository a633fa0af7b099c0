import { getComparison, type Comparison, type CompareRow, type CompareSide } from "../../api/bench";
import { Icon } from "../../components/Icon";
import { Card, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { href } from "../../state/router";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatTime } from "../../utils/format";
import css from "./benchmark.module.css";
import { figureText, sideWarnings, titlesOf } from "./comparing";
import type { Reader } from "./reader";
import { NONE, said } from "./texts";

function Judgement({ row, reader: { t } }: { row: CompareRow; reader: Reader }) {
    if (row.is_noise) return <span class="dim">{t("bench.compare.noise")}</span>;
    if (row.is_better == null) return null;
    return <span class={row.is_better ? css.good : css.bad}>{t(row.is_better ? "bench.compare.better" : "bench.compare.worse")}</span>;
}

function Side({ word, id, side }: { word: string; id: string; side: CompareSide }) {
    const about = [side.started_at ? formatTime(side.started_at) : "", side.version ?? ""];
    return (
        <th scope="col" class={ui.num}>
            {word}
            <div>
                <a href={href("/benchmark", { run: id })}>{about.filter(Boolean).join(" · ") || id}</a>
            </div>
        </th>
    );
}

function Figures({ data, a, b, reader }: { data: Comparison; a: string; b: string; reader: Reader }) {
    const { t, lang } = reader;
    return (
        <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.compare")}>
            <table class={ui.table}>
                <thead>
                    <tr>
                        <th scope="col">{t("bench.compare.what")}</th>
                        <Side word={t("bench.compare.first")} id={a} side={data.a} />
                        <Side word={t("bench.compare.second")} id={b} side={data.b} />
                        <th scope="col" class={ui.num}>
                            {t("bench.compare.ratio")}
                        </th>
                        <th scope="col">{t("bench.history.result")}</th>
                    </tr>
                </thead>
                <tbody>
                    {data.rows.map((row, i) => (
                        <tr key={i}>
                            <th scope="row">{said(row.name, lang)}</th>
                            <td class={ui.num}>{figureText(row.a, row.unit, t)}</td>
                            <td class={ui.num}>{figureText(row.b, row.unit, t)}</td>
                            <td class={ui.num}>{row.ratio == null ? NONE : `× ${row.ratio.toFixed(2)}`}</td>
                            <td>
                                <Judgement row={row} reader={reader} />
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

/** Two runs side by side, the first the one to be compared with: before and after an update. */
export function Compare({ a, b, reader }: { a: string; b: string; reader: Reader }) {
    const { t, lang } = reader;
    const { data, error, reload } = useResource(`compare ${a} ${b}`, (signal) => getComparison(a, b, signal));
    if (error && !data) {
        if (error.status === 404) return <p class={ui.note}>{t("bench.missing")}</p>;
        return <Failed error={error} retry={reload} />;
    }
    if (!data) return <Skeleton heights={[64, 320]} />;
    const warnings = sideWarnings(data, reader);
    const swap = (
        <a class={cx(ui.button, ui.small)} href={href("/benchmark", { a: b, b: a })}>
            <Icon name="reload" />
            {t("bench.compare.swap")}
        </a>
    );
    return (
        <div class={css.grid}>
            {warnings.length > 0 && (
                <div class={css.warning} role="status">
                    {warnings.map((text) => (
                        <p key={text}>{text}</p>
                    ))}
                </div>
            )}
            <Card title={t("bench.compare")} aside={swap}>
                <p class={cx(css.body, "dim")}>{titlesOf(data, reader)}</p>
                {data.answer && <p class={cx(css.body, css.answer)}>{said(data.answer, lang)}</p>}
                {data.rows.length === 0 ? <p class={css.body}>{t("bench.compare.none")}</p> : <Figures data={data} a={a} b={b} reader={reader} />}
            </Card>
        </div>
    );
}
