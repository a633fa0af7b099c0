import { LISTENERS, type Ledger } from "../../api/types";
import { BenchmarkTag } from "../../components/BenchmarkTag";
import { Card } from "../../components/States";
import { useWords } from "../../i18n";
import { isOfBenchmark, useBenchNetwork } from "../../state/benchNetwork";
import { formatCount } from "../../utils/format";
import { logsOf } from "../dashboard/SourceCards";
import { CountsTable } from "./CountsTable";
import { LISTENER_WORD } from "./ListenersCard";
import css from "./receiver.module.css";

/** The ledger of the range by listener and by source. */
export function Tables({ ledger, from }: { ledger: Ledger; from: string }) {
    const { t } = useWords();
    const benchNetwork = useBenchNetwork();
    const listeners = LISTENERS.filter((l) => ledger.by_listener[l].arrived > 0 || ledger.kernel_dropped[l] > 0);
    if (listeners.length === 0) return <p class={css.empty}>{t("ledger.none")}</p>;
    return (
        <>
            <Card
                title={t("ledger.byListener")}
                aside={ledger.total.refused === 0 && <span class="dim">{t("ledger.noRefusals")}</span>}
            >
                <CountsTable
                    heads={[t("ledger.listener")]}
                    withDropped
                    rows={listeners.map((l) => ({
                        key: l,
                        head: <th scope="row">{t(LISTENER_WORD[l])}</th>,
                        counts: ledger.by_listener[l],
                        dropped: ledger.kernel_dropped[l],
                    }))}
                />
            </Card>
            <Card
                title={t("ledger.bySource")}
                aside={!ledger.rows_complete && <span class="dim">{t("ledger.more", { n: formatCount(ledger.rows.length) })}</span>}
            >
                <CountsTable
                    heads={[t("ledger.source"), t("ledger.listener")]}
                    rows={ledger.rows.map((row) => ({
                        key: `${row.source} ${row.listener}`,
                        head: (
                            <>
                                <th scope="row">
                                    <a class="mono" href={logsOf(row.source, from)}>
                                        {row.source}
                                    </a>{" "}
                                    {isOfBenchmark(row.source, benchNetwork) && <BenchmarkTag />}
                                </th>
                                <td>{t(LISTENER_WORD[row.listener])}</td>
                            </>
                        ),
                        counts: row,
                    }))}
                />
            </Card>
        </>
    );
}
