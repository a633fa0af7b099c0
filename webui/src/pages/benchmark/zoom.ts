/* A part of a run's graphs.  Pure. */
import type { Span } from "../../state/timeRange";
import type { View } from "../../state/useWindow";

const LEAST_MS = 2000;

/** The part that was chosen, at least two seconds of it and inside the whole; the whole without a choice. */
export function mergeZoom(view: View, zoom: Span | null): View {
    if (!zoom) return view;
    const from = Math.max(view.from, Math.min(zoom.from, view.to - LEAST_MS));
    const to = Math.min(view.to, Math.max(zoom.to, from + LEAST_MS));
    return { ...view, from, to };
}
