import { boxNow } from "../../api/client";
import { getLedger, LEDGER_ROWS } from "../../api/endpoints";
import { getGaps, type ReceiverState } from "../../api/receiver";
import type { Ledger, Receiver } from "../../api/types";
import { Equation } from "../../components/equation/Equation";
import { Age, Ago, Card, Failed, Skeleton } from "../../components/States";
import { TimeRange } from "../../components/TimeRange";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { live, REPORT_STALE_US } from "../../state/live";
import { useStore } from "../../state/store";
import { isOpen, resolveRange } from "../../state/timeRange";
import { useRange } from "../../state/useRange";
import { useResource } from "../../state/useResource";
import { formatBytes, formatCount, formatExact, formatTime } from "../../utils/format";
import { ConnectionsCard, TlsCard } from "./Connections";
import { Facts } from "./Facts";
import { GapsCard } from "./GapsCard";
import { KeptCard } from "./Kept";
import { ListenersCard } from "./ListenersCard";
import { LostCard } from "./Lost";
import css from "./receiver.module.css";
import { wayState } from "./stages";
import { Tables } from "./Tables";
import { useLastHour, useReceiver, type Live } from "./useReceiver";
import { Way } from "./Way";

const EVERY_MS = 5000;
const GAPS_EVERY_MS = 15_000;

function Now({ receiver }: { receiver: Receiver | null }) {
    const { t } = useWords();
    if (!receiver) return <p class={css.empty}>{t("recv.none")}</p>;
    return (
        <Facts
            facts={[
                { word: "live.reported", value: <Ago at={receiver.at} />, isBad: receiver.age_us >= REPORT_STALE_US },
                { word: "live.since", value: <span title={formatExact(receiver.started_at)}>{formatTime(receiver.started_at)}</span> },
                { word: "live.queued", value: formatCount(receiver.queued) },
                { word: "live.queueBytes", value: formatBytes(receiver.queue_bytes) },
                { word: "live.buffer", value: formatBytes(receiver.udp_buffer_bytes) },
            ]}
        />
    );
}

/** The receiver as it is now: where it listens, and where its messages are. */
function Present({ now, state }: { now: Live; state: ReceiverState }) {
    const { t } = useWords();
    const hour = useLastHour();
    const { rate } = useStore(live);
    const { detail } = state;
    if (!detail) return <p class={ui.note}>{t("way.unknown")}</p>;
    // the two answers may be seconds apart; the page asks every two
    const age = state.age_us;
    return (
        <>
            <Way
                detail={detail}
                state={wayState(detail, age, now.error?.code === "database_away")}
                rate={rate}
                stored={state.status?.stored ?? null}
            />
            <ListenersCard listeners={detail.listeners} rates={now.rates} hour={hour} />
            <div class={css.three}>
                <KeptCard detail={detail} />
                <ConnectionsCard detail={detail} />
                <TlsCard detail={detail} />
            </div>
        </>
    );
}

function Accounts({ ledger, detail, from, to }: { ledger: Ledger; detail: ReceiverState["detail"]; from: string; to: string }) {
    const gaps = useResource(`${from} ${to}`, (signal) => getGaps(resolveRange({ from, to }, boxNow()), signal), isOpen({ from, to }) ? GAPS_EVERY_MS : 0);
    return (
        <>
            <div class={css.halves}>
                <LostCard ledger={ledger} detail={detail} />
                {gaps.data ? <GapsCard gaps={gaps.data} /> : gaps.error ? <Failed error={gaps.error} retry={gaps.reload} /> : <Skeleton heights={[120]} />}
            </div>
            <Tables ledger={ledger} from={from} />
        </>
    );
}

export function ReceiverPage() {
    const { t } = useWords();
    const [range, setRange] = useRange({ from: "-24h", to: "" });
    const now = useReceiver();
    const every = isOpen(range) ? EVERY_MS : 0;
    const ledger = useResource(
        `${range.from} ${range.to}`,
        (signal) => getLedger(resolveRange(range, boxNow()), LEDGER_ROWS, signal),
        every,
    );
    const error = ledger.error ?? now.error;
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.receiver")}</h1>
                <Age at={ledger.at} staleMs={EVERY_MS * 3} />
                <TimeRange range={range} onChange={setRange} />
            </div>
            {error && !ledger.data && !now.data && <Failed error={error} retry={ledger.reload} />}
            {!ledger.data && !now.data && !error && <Skeleton heights={[120, 240, 160, 320]} />}
            <div class={css.grid}>
                {ledger.data && (
                    <div class={css.two}>
                        <Card title={t("ledger.equation")}>
                            <Equation ledger={ledger.data} endsNow={isOpen(range)} />
                        </Card>
                        <Card title={t("live.title")}>
                            <Now receiver={now.data?.status ?? ledger.data.receiver} />
                        </Card>
                    </div>
                )}
                {now.data && <Present now={now} state={now.data} />}
                {ledger.data && <Accounts ledger={ledger.data} detail={now.data?.detail ?? null} from={range.from} to={range.to} />}
            </div>
        </>
    );
}
