import { useLayoutEffect } from "preact/hooks";
import { guardLeaving } from "./router";

/** While something is not saved, leaving the page asks first. */
export function useLeaveGuard(isOn: boolean, question: string): void {
    // before the page is painted: who sees that something is not saved is asked
    useLayoutEffect(() => {
        if (!isOn) return;
        const stay = (e: BeforeUnloadEvent) => e.preventDefault();
        addEventListener("beforeunload", stay);
        const release = guardLeaving(() => confirm(question));
        return () => {
            removeEventListener("beforeunload", stay);
            release();
        };
    }, [isOn, question]);
}
