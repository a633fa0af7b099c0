/* Zoom by a finger: uPlot knows the mouse only.  A finger that goes sideways selects, one that goes up or down scrolls
 * the page, and a tap puts the cursor there (by the mouse events that browsers make of it). */
import type uPlot from "uplot";

/** Less than this is a tap. */
const LEAST_PX = 8;

/** `onDrag` tells whether a selection is being drawn.  Returns the way to let go of the chart. */
export function selectByTouch(u: uPlot, onDrag: (isDragging: boolean) => void): () => void {
    let finger: number | null = null;
    let begin = 0;
    let isSelecting = false;
    const leftOf = (e: PointerEvent) => {
        const { left, width } = u.over.getBoundingClientRect();
        return Math.min(Math.max(e.clientX - left, 0), width);
    };
    const end = () => {
        finger = null;
        if (isSelecting) onDrag(false);
        isSelecting = false;
    };
    const down = (e: PointerEvent) => {
        if (e.pointerType === "mouse" || !e.isPrimary) return;
        finger = e.pointerId;
        begin = leftOf(e);
    };
    const move = (e: PointerEvent) => {
        if (e.pointerId !== finger) return;
        const at = leftOf(e);
        if (!isSelecting && Math.abs(at - begin) < LEAST_PX) return;
        if (!isSelecting) {
            isSelecting = true;
            onDrag(true);
            u.over.setPointerCapture(e.pointerId);
        }
        u.setCursor({ left: at, top: u.over.clientHeight / 2 });
        u.setSelect({ left: Math.min(begin, at), width: Math.abs(at - begin), top: 0, height: u.over.clientHeight }, false);
    };
    const up = (e: PointerEvent) => {
        if (e.pointerId !== finger) return;
        const { left, width } = u.select;
        const wasSelecting = isSelecting;
        end();
        if (wasSelecting) u.setSelect({ left, width, top: 0, height: u.over.clientHeight });
    };
    const cancel = (e: PointerEvent) => {
        if (e.pointerId !== finger) return;
        u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        end();
    };
    u.over.style.touchAction = "pan-y";
    u.over.addEventListener("pointerdown", down);
    u.over.addEventListener("pointermove", move);
    u.over.addEventListener("pointerup", up);
    u.over.addEventListener("pointercancel", cancel);
    return () => {
        u.over.removeEventListener("pointerdown", down);
        u.over.removeEventListener("pointermove", move);
        u.over.removeEventListener("pointerup", up);
        u.over.removeEventListener("pointercancel", cancel);
    };
}
