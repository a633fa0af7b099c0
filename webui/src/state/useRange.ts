import { useCallback, useMemo } from "preact/hooks";
import { href, navigate, useRoute } from "./router";
import { DEFAULT_RANGE, readRange, writeRange, type TimeRange } from "./timeRange";

/** The time range of the page, from and to the URL. */
export function useRange(fallback: TimeRange = DEFAULT_RANGE): [TimeRange, (range: TimeRange) => void] {
    const { path, params } = useRoute();
    const { from: usualFrom, to: usualTo } = fallback;
    const { from, to } = readRange(params, fallback);
    const range = useMemo(() => ({ from, to }), [from, to]);
    const setRange = useCallback(
        (next: TimeRange) => navigate(href(path, writeRange(new URLSearchParams(location.search), next, { from: usualFrom, to: usualTo }))),
        [path, usualFrom, usualTo],
    );
    return [range, setRange];
}
