import type { Peer } from "../../api/benchReport";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { formatRate } from "../../utils/format";
import type { Reader } from "./reader";
import { known, said, targetText } from "./texts";

/** Several collectors on one machine, in the same run. */
export function Peers({ peers, reader: { t, lang } }: { peers: readonly Peer[]; reader: Reader }) {
    const num = (word: string) => (
        <th scope="col" class={ui.num}>
            {word}
        </th>
    );
    return (
        <Card title={t("bench.peers")}>
            <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("bench.peers")}>
                <table class={ui.table}>
                    <thead>
                        <tr>
                            <th scope="col">{t("bench.peers.test")}</th>
                            <th scope="col">{t("bench.history.target")}</th>
                            {num(t("bench.peers.median"))}
                            {num(t("bench.peers.spread"))}
                            {num(t("bench.peers.ratio"))}
                            {num(t("bench.peers.runs"))}
                        </tr>
                    </thead>
                    <tbody>
                        {peers.map((p) => (
                            <tr key={`${p.test} ${p.target}`}>
                                <th scope="row">{said(p.name, lang)}</th>
                                <td>{targetText(p.target, t)}</td>
                                <td class={ui.num}>{known(p.median, formatRate)}</td>
                                <td class={ui.num}>{known(p.mad, formatRate)}</td>
                                <td class={ui.num}>
                                    {known(p.ratio, (n) => `× ${n.toFixed(2)}`)}
                                    {p.is_noise && <span class="dim">{` ${t("bench.compare.noise")}`}</span>}
                                </td>
                                <td class={ui.num}>{p.rates.map(formatRate).join(" · ")}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </Card>
    );
}
