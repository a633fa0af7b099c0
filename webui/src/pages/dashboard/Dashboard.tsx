import { useEffect, useState } from "preact/hooks";
import { boxNow, boxTime } from "../../api/client";
import { getRates, getSources } from "../../api/endpoints";
import { alignSpan } from "../../charts/rate";
import { lostIn } from "../../charts/window";
import { Guide } from "../../components/guide/Guide";
import { Age } from "../../components/States";
import { TimeRange } from "../../components/TimeRange";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useRange } from "../../state/useRange";
import { useResource } from "../../state/useResource";
import css from "./dashboard.module.css";
import { EventsCard } from "./EventsCard";
import { FourFigures } from "./Figures";
import { Graphs } from "./Graphs";
import { Health } from "./Health";
import { BusiestCard, SilentCard } from "./SourceCards";
import { useRates } from "./useGraphs";

const SLOW_MS = 30_000;
/** Those unheard for longest, as many as can have been taken away before one that fell silent. */
const SILENT_ASKED = 200;
const DAY_S = 86_400;
/** As far back as hours are counted. */
const LOOK_BACK_MS = 729 * DAY_S * 1000;
const HOUR_MS = 3_600_000;
/** Until the first message the page looks again soon: somebody is waiting for it. */
const FIRST_MS = 2000;
/** Graphs of two years move on once a minute. */
const STALE_MS = 180_000;

/** The last day on which something was lost; "" for none in two years; null while unknown.  Asked for once
 * the graphs are there: it is the longest answer and the least urgent. */
function useLossSince(isTime: boolean): string | null {
    const { data } = useResource(
        isTime ? "loss since" : null,
        (signal) => getRates(alignSpan({ from: boxNow() - LOOK_BACK_MS, to: boxNow() }, DAY_S), DAY_S, signal),
        600_000,
    );
    if (!data) return null;
    return [...data.points].reverse().find((p) => (lostIn(p) ?? 0) > 0)?.at ?? "";
}

export function Dashboard() {
    const { t } = useWords();
    const [range, setRange] = useRange();
    const rates = useRates(range);
    const [isTime, setTime] = useState(false);
    const lossSince = useLossSince(isTime);
    const hour = () => ({ from: boxNow() - HOUR_MS, to: boxNow() });
    const busiest = useResource("busiest", (signal) => getSources(hour(), "busiest", 1000, signal), SLOW_MS);
    const [isNew, setNew] = useState(false);
    const silent = useResource("silent", (signal) => getSources(hour(), "silent", SILENT_ASKED, signal), isNew ? FIRST_MS : SLOW_MS);
    const total = silent.data?.total;
    useEffect(() => setTime((before) => before || rates.data !== undefined || rates.error !== null), [rates.data, rates.error]);
    useEffect(() => {
        if (total !== undefined) setNew(total === 0);
    }, [total]);

    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.dashboard")}</h1>
                <Age at={rates.at} staleMs={STALE_MS} />
                <TimeRange range={range} onChange={setRange} />
            </div>
            {isNew ? (
                <Guide />
            ) : (
                <>
                    <Health sources={silent.data?.sources} nowMs={boxTime(silent.at)} />
                    <FourFigures sources={busiest.data} lossSince={lossSince} />
                    <Graphs range={range} onRange={setRange} rates={rates} />
                    <div class={css.grid}>
                        {busiest.data && <BusiestCard sources={busiest.data} />}
                        {silent.data && <SilentCard sources={silent.data.sources} nowMs={boxTime(silent.at)} />}
                        <EventsCard />
                    </div>
                </>
            )}
        </>
    );
}
