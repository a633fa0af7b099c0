import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

interface Props {
    options: Omit<uPlot.Options, "width" | "height">;
    data: uPlot.AlignedData;
    height: number;
    /** Index of the point under the cursor, null when it left. */
    onCursor?: (index: number | null) => void;
    class?: string | undefined;
}

/** A uPlot that follows its options, its data and the width of its place.  What it shows must also stand
 * in a table or sentence beside it: a canvas says nothing to a screen reader. */
export function Chart({ options, data, height, onCursor, class: className }: Props) {
    const place = useRef<HTMLDivElement>(null);
    const chart = useRef<uPlot | null>(null);
    const cursor = useRef(onCursor);
    cursor.current = onCursor;
    const latest = useRef(data);
    latest.current = data;

    useEffect(() => {
        const node = place.current;
        if (!node) return;
        const hooks = {
            ...options.hooks,
            setCursor: [(u: uPlot) => cursor.current?.(u.cursor.idx ?? null)],
        };
        const made = new uPlot({ ...options, hooks, width: Math.max(node.clientWidth, 80), height }, latest.current, node);
        chart.current = made;
        const watch = new ResizeObserver(() => made.setSize({ width: Math.max(node.clientWidth, 80), height }));
        watch.observe(node);
        return () => {
            watch.disconnect();
            made.destroy();
            chart.current = null;
        };
    }, [options, height]);

    useEffect(() => {
        chart.current?.setData(data);
    }, [data]);

    return <div ref={place} class={className} aria-hidden="true" style={{ height: `${height}px`, overflow: "hidden" }} />;
}
