import { useEffect, useRef } from "preact/hooks";

export interface KeyActs {
    query: () => void;
    move: (by: number) => void;
    open: () => void;
    close: () => void;
    help: () => void;
}

/** Keys of the logs page; never those typed into a field. A closed dialog keeps the focus until the next frame: its keys are the page's. */
export function useKeys(acts: KeyActs): void {
    const now = useRef(acts);
    now.current = acts;
    useEffect(() => {
        const press = (e: KeyboardEvent) => {
            if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
            const target = e.target as HTMLElement;
            const field = target.closest("input, select, textarea, dialog[open], [role=menu]");
            if (field) {
                if (e.key === "Escape" && target instanceof HTMLInputElement) target.blur();
                return;
            }
            if (e.key === "/") now.current.query();
            else if (e.key === "j") now.current.move(1);
            else if (e.key === "k") now.current.move(-1);
            else if (e.key === "Enter" && !target.closest("button, a, summary")) now.current.open();
            else if (e.key === "Escape") now.current.close();
            else if (e.key === "?") now.current.help();
            else return;
            e.preventDefault();
        };
        document.addEventListener("keydown", press);
        return () => document.removeEventListener("keydown", press);
    }, []);
}
