import { useEffect, useState } from "preact/hooks";
import { boxNow } from "../../api/client";
import { getLedger, getRates, getSources } from "../../api/endpoints";
import { stepFor } from "../../charts/rate";
import { Equation } from "../../components/equation/Equation";
import { Guide } from "../../components/guide/Guide";
import { Age, Card, Failed, Skeleton } from "../../components/States";
import { TimeRange } from "../../components/TimeRange";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { resolveRange, isOpen } from "../../state/timeRange";
import { useRange } from "../../state/useRange";
import { useResource } from "../../state/useResource";
import css from "./dashboard.module.css";
import { FourFigures } from "./Figures";
import { RateCard } from "./RateCard";
import { BusiestCard, SilentCard } from "./SourceCards";

const EVERY_MS = 10_000;
/** Until the first message the page looks again soon: somebody is waiting for it. */
const FIRST_MS = 2000;

export function Dashboard() {
    const { t } = useWords();
    const [range, setRange] = useRange();
    const span = () => resolveRange(range, boxNow());
    const key = `${range.from} ${range.to}`;
    const every = isOpen(range) ? EVERY_MS : 0;
    const length = span().to - span().from;

    const ledger = useResource(`ledger ${key}`, (signal) => getLedger(span(), 1, signal), every);
    const rates = useResource(`rates ${key}`, (signal) => getRates(span(), stepFor(length), signal), every);
    const busiest = useResource(`busiest ${key}`, (signal) => getSources(span(), "busiest", 1000, signal), every);
    const [isNew, setNew] = useState(false);
    const silent = useResource("silent", (signal) => getSources(span(), "silent", 20, signal), isNew ? FIRST_MS : EVERY_MS);
    const total = silent.data?.total;
    useEffect(() => {
        if (total !== undefined) setNew(total === 0);
    }, [total]);

    const error = ledger.error ?? rates.error ?? busiest.error ?? silent.error;
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.dashboard")}</h1>
                <Age at={ledger.at} staleMs={EVERY_MS * 3} />
                <TimeRange range={range} onChange={setRange} />
            </div>
            {error && !ledger.data && <Failed error={error} retry={ledger.reload} />}
            {isNew ? (
                <Guide />
            ) : (
                <>
                    <FourFigures ledger={ledger.data} sources={busiest.data} />
                    {rates.data ? <RateCard rates={rates.data} nowMs={rates.at} /> : !rates.error && <Skeleton heights={[260]} />}
                    <div class={css.grid}>
                        {busiest.data && <BusiestCard sources={busiest.data} from={range.from} />}
                        {silent.data && <SilentCard sources={silent.data.sources} nowMs={silent.at} />}
                    </div>
                    {ledger.data && (
                        <div class={css.ledger}>
                            <Card title={t("dash.ledger")} aside={<a href="/receiver">{t("dash.openLedger")}</a>}>
                                <Equation ledger={ledger.data} endsNow={isOpen(range)} />
                            </Card>
                        </div>
                    )}
                </>
            )}
        </>
    );
}
