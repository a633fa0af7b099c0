import { useEffect, useState } from "preact/hooks";
import { useWords } from "../../i18n";
import { useAct, type Act } from "../../state/useAct";
import { useLeaveGuard } from "../../state/useLeaveGuard";

export interface ListForm<Row> {
    act: Act;
    rows: readonly Row[];
    /** What the box has. */
    current: readonly Row[];
    /** Rows added, changed or removed. */
    n: number;
    said: "saved" | "undone" | null;
    mayUndo: boolean;
    set: (rows: readonly Row[]) => void;
    /** Other rows than those of the form, at once; throws. */
    apply: (rows: readonly Row[], force: boolean) => Promise<void>;
    save: (force: boolean) => Promise<void>;
    undo: () => Promise<void>;
    discard: () => void;
}

/** How many rows differ; a changed one counts once. */
export function countDifferent<Row>(before: readonly Row[], after: readonly Row[]): number {
    const key = (row: Row) => JSON.stringify(row);
    const old = before.map(key);
    const now = after.map(key);
    const added = now.filter((row) => !old.includes(row)).length;
    const removed = old.filter((row) => !now.includes(row)).length;
    return Math.max(added, removed);
}

/** A whole list that is saved as one and taken back as one. */
export function useListForm<Row>(current: readonly Row[], put: (rows: readonly Row[], force: boolean) => Promise<unknown>, onDone: () => void): ListForm<Row> {
    const { t } = useWords();
    /** `isSaved`: shown until the box's own answer is there. */
    const [draft, setDraft] = useState<{ rows: readonly Row[]; isSaved: boolean } | null>(null);
    const [before, setBefore] = useState<readonly Row[] | null>(null);
    const [said, setSaid] = useState<ListForm<Row>["said"]>(null);
    const act = useAct();
    const rows = draft?.rows ?? current;
    const n = draft && !draft.isSaved ? Math.max(countDifferent(current, draft.rows), draft.rows.length === current.length ? 0 : 1) : 0;
    useLeaveGuard(n > 0, t("settings.leave"));
    const key = JSON.stringify(current);
    useEffect(() => {
        if (draft?.isSaved) setDraft(null);
    }, [key]);

    const show = (next: readonly Row[]) => {
        setDraft({ rows: next, isSaved: true });
        onDone();
    };
    const apply = async (next: readonly Row[], force: boolean) => {
        const was = current;
        await put(next, force);
        setBefore(was);
        setSaid("saved");
        show(next);
    };
    return {
        act,
        rows,
        current,
        n,
        said,
        mayUndo: before !== null && n === 0,
        set: (next) => {
            setSaid(null);
            act.clear();
            setDraft({ rows: next, isSaved: false });
        },
        apply,
        save: async (force) => {
            await act.run(() => apply(rows, force));
        },
        undo: async () => {
            if (!before || !(await act.run(() => put(before, true)))) return;
            setBefore(null);
            setSaid("undone");
            show(before);
        },
        discard: () => {
            setDraft(null);
            act.clear();
        },
    };
}
