import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { selectByTouch } from "../charts/touch";
import "uplot/dist/uPlot.min.css";

interface Props {
    options: Omit<uPlot.Options, "width" | "height">;
    data: uPlot.AlignedData;
    height: number;
    /** From and to of the time axis, ms since the epoch, where it moves on without new options. */
    from?: number;
    to?: number;
    /** Index of the point under the cursor, null when it left. */
    onCursor?: (index: number | null) => void;
    /** Draws over what is drawn. */
    paint?: ((u: uPlot) => void) | undefined;
    /** The chart that is shown, for a picture of it. */
    chartRef?: { current: uPlot | null };
    class?: string | undefined;
}

/** A uPlot that follows its options, its data and the width of its place.  Other options make it anew; other
 * data, times or marks are painted into the same one, though never under a selection being drawn.  What it
 * shows must also stand in a table or sentence beside it: a canvas says nothing to a screen reader. */
export function Chart({ options, data, height, from, to, onCursor, paint, chartRef, class: className }: Props) {
    const place = useRef<HTMLDivElement>(null);
    const chart = useRef<uPlot | null>(null);
    const latest = useRef({ data, from, to, onCursor, paint });
    latest.current = { data, from, to, onCursor, paint };
    const isDragging = useRef(false);

    useEffect(() => {
        const node = place.current;
        if (!node) return;
        const hooks = {
            ...options.hooks,
            setCursor: [(u: uPlot) => latest.current.onCursor?.(u.cursor.idx ?? null)],
            draw: [(u: uPlot) => latest.current.paint?.(u)],
        };
        const x: uPlot.Scale = { time: true, range: () => [(latest.current.from ?? 0) / 1000, (latest.current.to ?? 0) / 1000] };
        const scales = from === undefined ? options.scales : { ...options.scales, x };
        const made = new uPlot({ ...options, ...(scales ? { scales } : {}), hooks, width: Math.max(node.clientWidth, 80), height }, latest.current.data, node);
        chart.current = made;
        if (chartRef) chartRef.current = made;
        const watch = new ResizeObserver(() => {
            const width = Math.max(node.clientWidth, 80);
            if (width !== made.width) made.setSize({ width, height });
        });
        watch.observe(node);
        const down = () => (isDragging.current = true);
        const up = () => {
            if (!isDragging.current) return;
            isDragging.current = false;
            // the selection is read on the same event
            setTimeout(() => chart.current === made && made.setData(latest.current.data));
        };
        const letGo = selectByTouch(made, (isOn) => (isOn ? down() : up()));
        made.over.addEventListener("mousedown", down);
        document.addEventListener("mouseup", up);
        return () => {
            document.removeEventListener("mouseup", up);
            letGo();
            watch.disconnect();
            made.destroy();
            chart.current = null;
            if (chartRef) chartRef.current = null;
            isDragging.current = false;
        };
    }, [options, height]);

    useEffect(() => {
        if (!isDragging.current) chart.current?.setData(data);
    }, [data, from, to]);

    useEffect(() => {
        if (!isDragging.current) chart.current?.redraw(false);
    }, [paint]);

    return <div ref={place} class={className} aria-hidden="true" style={{ height: `${height}px`, overflow: "hidden" }} />;
}
