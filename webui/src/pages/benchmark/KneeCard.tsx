import { useMemo } from "preact/hooks";
import type { Knee } from "../../api/benchReport";
import { kneeData, kneeOptions } from "../../charts/knee";
import { chartColors } from "../../charts/theme";
import { Chart } from "../../components/Chart";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { isDark } from "../../state/prefs";
import { useStore } from "../../state/store";
import { formatCount, formatRate } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { known, said, targetText } from "./texts";

const HEIGHT = 180;

/** Loss against rate, and the highest rates with none and with hardly any.  `isFirst`: a later test's rate comes of it. */
export function KneeCard({ knee, isFirst = false, reader: { t, lang } }: { knee: Knee; isFirst?: boolean; reader: Reader }) {
    const dark = useStore(isDark);
    const options = useMemo(() => kneeOptions(knee, chartColors()), [knee, dark]);
    const data = useMemo(() => kneeData(knee), [knee]);
    const [rates, losses] = data;
    const title = t(isFirst ? "bench.knee.first" : "bench.knee", { target: targetText(knee.target, t), transport: knee.transport.toUpperCase() });
    return (
        <Card title={title}>
            <p class={css.body}>
                {said(knee.sentence, lang) || (
                    <>
                        <b>{knee.lossless === null ? t("bench.knee.none") : t("bench.knee.lossless", { rate: formatCount(knee.lossless) })}</b>{" "}
                        {knee.tolerant !== null && t("bench.knee.tolerant", { rate: formatCount(knee.tolerant) })}
                    </>
                )}
            </p>
            {rates.length > 0 && (
                <div class={css.knee}>
                    <Chart options={options} data={data} height={HEIGHT} />
                    <div class={css.kneeTable} tabIndex={0} role="group" aria-label={title}>
                        <table class={ui.table}>
                            <thead>
                                <tr>
                                    <th scope="col" class={ui.num}>
                                        {t("bench.col.rate")}
                                    </th>
                                    <th scope="col" class={ui.num}>
                                        {t("bench.knee.loss")}
                                    </th>
                                </tr>
                            </thead>
                            <tbody>
                                {rates.map((at, i) => (
                                    <tr key={at}>
                                        <th scope="row" class={ui.num}>
                                            {formatRate(at)}
                                        </th>
                                        <td class={ui.num}>{known(losses[i], (n) => `${Number(n.toPrecision(3))} %`)}</td>
                                    </tr>
                                ))}
                            </tbody>
                        </table>
                    </div>
                </div>
            )}
        </Card>
    );
}
