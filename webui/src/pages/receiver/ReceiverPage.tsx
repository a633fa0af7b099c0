import { boxNow } from "../../api/client";
import { getLedger, LEDGER_ROWS } from "../../api/endpoints";
import { LISTENERS, type Ledger, type ListenerName, type Receiver } from "../../api/types";
import { Equation } from "../../components/equation/Equation";
import { BenchmarkTag } from "../../components/BenchmarkTag";
import { Age, Ago, Card, Failed, Skeleton } from "../../components/States";
import { TimeRange } from "../../components/TimeRange";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { isOfBenchmark, useBenchNetwork } from "../../state/benchNetwork";
import { live, REPORT_STALE_US } from "../../state/live";
import { useStore } from "../../state/store";
import { isOpen, resolveRange } from "../../state/timeRange";
import { useRange } from "../../state/useRange";
import { useResource } from "../../state/useResource";
import { formatBytes, formatCount, formatExact, formatTime } from "../../utils/format";
import { logsOf } from "../dashboard/SourceCards";
import { CountsTable } from "./CountsTable";
import css from "./receiver.module.css";

const EVERY_MS = 5000;
const NAME: Record<ListenerName, Key> = { udp: "listener.udp", tcp: "listener.tcp", tls: "listener.tls" };

function Now({ receiver }: { receiver: Receiver | null }) {
    const { t } = useWords();
    if (!receiver) return <p class={css.empty}>{t("dash.noReceiver")}</p>;
    return (
        <dl class={css.live}>
            <dt>{t("live.reported")}</dt>
            <dd class={receiver.age_us >= REPORT_STALE_US ? css.bad : ""}>
                <Ago at={receiver.at} />
            </dd>
            <dt>{t("live.since")}</dt>
            <dd title={formatExact(receiver.started_at)}>{formatTime(receiver.started_at)}</dd>
            <dt>{t("live.queued")}</dt>
            <dd>{formatCount(receiver.queued)}</dd>
            <dt>{t("live.queueBytes")}</dt>
            <dd>{formatBytes(receiver.queue_bytes)}</dd>
            <dt>{t("live.connections")}</dt>
            <dd>{formatCount(receiver.connections)}</dd>
            <dt>{t("live.buffer")}</dt>
            <dd>{formatBytes(receiver.udp_buffer_bytes)}</dd>
        </dl>
    );
}

function Tables({ ledger, from }: { ledger: Ledger; from: string }) {
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
                        head: <th scope="row">{t(NAME[l])}</th>,
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
                                <td>{t(NAME[row.listener])}</td>
                            </>
                        ),
                        counts: row,
                    }))}
                />
            </Card>
        </>
    );
}

export function ReceiverPage() {
    const { t } = useWords();
    const [range, setRange] = useRange({ from: "-24h", to: "" });
    const { receiver } = useStore(live);
    const every = isOpen(range) ? EVERY_MS : 0;
    const ledger = useResource(
        `${range.from} ${range.to}`,
        (signal) => getLedger(resolveRange(range, boxNow()), LEDGER_ROWS, signal),
        every,
    );
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.receiver")}</h1>
                <Age at={ledger.at} staleMs={EVERY_MS * 3} />
                <TimeRange range={range} onChange={setRange} />
            </div>
            {ledger.error && !ledger.data && <Failed error={ledger.error} retry={ledger.reload} />}
            {!ledger.data && !ledger.error && <Skeleton heights={[120, 120, 320]} />}
            {ledger.data && (
                <div class={css.grid}>
                    <div class={css.two}>
                        <Card title={t("ledger.equation")}>
                            <Equation ledger={ledger.data} endsNow={isOpen(range)} />
                        </Card>
                        <Card title={t("live.title")}>
                            <Now receiver={receiver ?? ledger.data.receiver} />
                        </Card>
                    </div>
                    <Tables ledger={ledger.data} from={range.from} />
                </div>
            )}
        </>
    );
}
