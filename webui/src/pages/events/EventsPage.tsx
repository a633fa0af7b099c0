import { boxNow } from "../../api/client";
import { getEvents } from "../../api/events";
import { Age, Failed, Skeleton } from "../../components/States";
import { TimeRange } from "../../components/TimeRange";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { ROWS_SHOWN } from "../../state/newest";
import { href, navigate, useRoute } from "../../state/router";
import { useNewest } from "../../state/useNewest";
import { isOpen, resolveRange } from "../../state/timeRange";
import { useRange } from "../../state/useRange";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { SEVERITIES } from "../../utils/severity";
import css from "./events.module.css";
import { EventsTable } from "./EventsTable";

const USUAL = { from: "-30d", to: "" };
/** As long as events are kept. */
const ALL = { from: "-730d", to: "" };
const EVERY_MS = 5000;
const STALE_MS = 15_000;
/** A range up to now holds what happens while the answer is under way. */
const AHEAD_MS = 60_000;
const KINDS = ["daemon", "settings", "retention", "storage", "clock", "bench"] as const;
const KIND: Record<(typeof KINDS)[number], Key> = {
    daemon: "kind.daemon",
    settings: "kind.settings",
    retention: "kind.retention",
    storage: "kind.storage",
    clock: "kind.clock",
    bench: "kind.bench",
};

export function EventsPage() {
    const { t } = useWords();
    const { path, params } = useRoute();
    const [range, setRange] = useRange(USUAL);
    const severity = SEVERITIES.find((s) => s === params.get("severity")) ?? "";
    const kind = KINDS.find((k) => k === params.get("kind")) ?? "";
    const span = () => {
        const { from, to } = resolveRange(range, boxNow());
        return { from, to: isOpen(range) ? to + AHEAD_MS : to };
    };
    const { shown, error, at, isFetching, older, reload } = useNewest(
        `${range.from} ${range.to} ${severity} ${kind}`,
        (cursor, signal) => getEvents(span(), { severity, kind }, cursor, signal),
        isOpen(range) ? EVERY_MS : 0,
    );
    const isFiltered = severity !== "" || kind !== "";

    const set = (changes: Record<string, string>) => {
        const next = new URLSearchParams(params);
        for (const [name, value] of Object.entries(changes)) {
            if (value) next.set(name, value);
            else next.delete(name);
        }
        navigate(href(path, next));
    };
    const n = shown?.entries.length ?? 0;
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("events.title")}</h1>
                <Age at={at} staleMs={isOpen(range) ? STALE_MS : Infinity} />
                <TimeRange range={range} onChange={setRange} />
            </div>
            <p class={css.intro}>{t("events.intro")}</p>
            <div class={css.tools}>
                <select aria-label={t("events.severity")} value={severity} onChange={(e) => set({ severity: e.currentTarget.value })}>
                    <option value="">{t("events.allSeverities")}</option>
                    {SEVERITIES.slice(0, -1).map((name) => (
                        <option key={name} value={name}>
                            {t("events.andWorse", { name })}
                        </option>
                    ))}
                </select>
                <select aria-label={t("events.kind")} value={kind} onChange={(e) => set({ kind: e.currentTarget.value })}>
                    <option value="">{t("events.allKinds")}</option>
                    {KINDS.map((name) => (
                        <option key={name} value={name}>
                            {t(KIND[name])}
                        </option>
                    ))}
                </select>
                {shown && n > 0 && (
                    <span class="dim">
                        {t(shown.next === null ? "events.count" : "events.countMore", { n: formatCount(n) })}
                        {isOpen(range) && ` · ${t("events.live")}`}
                    </span>
                )}
            </div>
            {error && <Failed error={error} retry={reload} />}
            {!shown && !error && <Skeleton heights={[32, 320]} />}
            {shown && n === 0 && (
                <div class={ui.note}>
                    {t(isFiltered ? "events.none" : "events.nothing")}
                    <div class={ui.actions}>
                        {isFiltered && (
                            <button type="button" class={cx(ui.button, ui.small)} onClick={() => set({ severity: "", kind: "" })}>
                                {t("events.all")}
                            </button>
                        )}
                        {range.from !== ALL.from && (
                            <button type="button" class={cx(ui.button, ui.small)} onClick={() => setRange(ALL)}>
                                {t("events.widen")}
                            </button>
                        )}
                    </div>
                </div>
            )}
            {shown && n > 0 && (
                <div class={ui.card}>
                    <EventsTable entries={shown.entries} />
                    {shown.next !== null && (
                        <div class={css.more}>
                            {n < ROWS_SHOWN ? (
                                <button type="button" class={cx(ui.button, ui.small)} disabled={isFetching} onClick={older}>
                                    {t("events.older")}
                                </button>
                            ) : (
                                <span class="dim">{t("events.limit", { n: formatCount(ROWS_SHOWN) })}</span>
                            )}
                        </div>
                    )}
                </div>
            )}
        </>
    );
}
