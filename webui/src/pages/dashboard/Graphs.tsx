import { useEffect, useRef, useState } from "preact/hooks";
import { boxNow } from "../../api/client";
import { FURTHER, MAIN, metricsOf, RATE, type GraphSpec } from "../../charts/catalog";
import { EventLane } from "../../components/graph/EventLane";
import { Graph } from "../../components/graph/Graph";
import { Failed, Skeleton } from "../../components/States";
import { Icon } from "../../components/Icon";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { absoluteRange, resolveRange, type Span, type TimeRange } from "../../state/timeRange";
import type { Resource } from "../../state/useResource";
import type { View } from "../../state/useWindow";
import { cx } from "../../utils/cx";
import css from "./dashboard.module.css";
import { EVENTS_MAX, useLoad, useMarks, type Marks } from "./useGraphs";

const HEIGHT = 132;
const CARD_HEIGHT = 200;
const MAIN_METRICS = metricsOf(MAIN);
const FURTHER_METRICS = metricsOf(FURTHER);

interface GroupProps {
    specs: readonly GraphSpec[];
    from: Resource<View>;
    /** What is missing when it fails. */
    name: string;
    marks: Marks["marks"];
    onZoom: (span: Span) => void;
    onBack: () => void;
}

/** The graphs of one answer: they come, and fail, together.  What was there stays, dimmed, until the graphs of
 * another range have come. */
function Group({ specs, from, name, marks, onZoom, onBack }: GroupProps) {
    const { t } = useWords();
    const last = useRef<View>();
    if (from.data || from.error) last.current = from.data;
    const view = last.current;
    return (
        <div class={cx(css.graphs, !from.data && css.old)} aria-busy={!from.data && !from.error}>
            {from.error && (
                <div>
                    <p>{t("graph.failed", { name })}</p>
                    <Failed error={from.error} retry={from.reload} />
                </div>
            )}
            {view
                ? specs.map((spec) => <Graph key={spec.id} spec={spec} view={view} marks={marks} height={HEIGHT} onZoom={onZoom} onBack={onBack} />)
                : !from.error && <Skeleton heights={specs.map(() => CARD_HEIGHT)} />}
        </div>
    );
}

interface Props {
    range: TimeRange;
    onRange: (range: TimeRange) => void;
    rates: Resource<View>;
}

/** Ranges from which somebody zoomed in, the last at the end. */
const BACK_MAX = 20;

export function useZoom(range: TimeRange, onRange: (range: TimeRange) => void) {
    const [before, setBefore] = useState<TimeRange[]>([]);
    const shown = useRef<TimeRange | null>(null);
    // Another choice of the range is a new beginning.
    useEffect(() => {
        if (shown.current?.from !== range.from || shown.current.to !== range.to) setBefore([]);
        shown.current = null;
    }, [range]);
    const go = (to: TimeRange, then: TimeRange[]) => {
        shown.current = to;
        setBefore(then);
        onRange(to);
    };
    return {
        zoom: (span: Span) => go(absoluteRange(span.from, span.to), [...before, range].slice(-BACK_MAX)),
        back: () => {
            const last = before.at(-1);
            if (last) go(last, before.slice(0, -1));
        },
        canGoBack: before.length > 0,
    };
}

/** Rate and load of the box on one time axis with one cursor, events drawn in. */
export function Graphs({ range, onRange, rates }: Props) {
    const { t } = useWords();
    const [isMore, setMore] = useState(false);
    const load = useLoad("main", range, MAIN_METRICS);
    const more = useLoad("more", range, isMore ? FURTHER_METRICS : null);
    const span = load.data ?? rates.data ?? resolveRange(range, boxNow());
    const { events, marks } = useMarks(range, span);
    const { zoom, back, canGoBack } = useZoom(range, onRange);
    const same = { marks, onZoom: zoom, onBack: back };
    return (
        <div class={css.graphs}>
            <EventLane span={span} marks={marks} count={events.data?.length ?? 0} isCut={events.data?.length === EVENTS_MAX} error={events.error}>
                {canGoBack && (
                    <button type="button" class={cx(ui.button, ui.small)} onClick={back}>
                        <Icon name="fold" />
                        {t("graph.zoomBack")}
                    </button>
                )}
            </EventLane>
            <Group specs={[RATE]} from={rates} name={t(RATE.title)} {...same} />
            <Group specs={MAIN} from={load} name={t("graph.group.load")} {...same} />
            <button type="button" class={cx(ui.button, css.more)} aria-expanded={isMore} onClick={() => setMore(!isMore)}>
                <Icon name={isMore ? "up" : "down"} />
                {t("graph.further")}
            </button>
            {isMore && <Group specs={FURTHER} from={more} name={t("graph.further")} {...same} />}
        </div>
    );
}
