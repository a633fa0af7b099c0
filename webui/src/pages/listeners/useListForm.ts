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

/** A list as the box has it, and its version. */
export interface Listed<Row> {
    rows: readonly Row[];
    version: string;
}

/** Put a list in place of the one of `version`; the version of the new one. */
type Put<Row> = (rows: readonly Row[], force: boolean, version: string) => Promise<string>;

/** A whole list that is saved as one and taken back as one, but where somebody else has changed it meanwhile. */
export function useListForm<Row>({ rows: current, version }: Listed<Row>, put: Put<Row>, onDone: () => void): ListForm<Row> {
    const { t } = useWords();
    /** `isSaved`: shown until the box's own answer is there; `of`: the version that it was begun with. */
    const [draft, setDraft] = useState<{ rows: readonly Row[]; isSaved: boolean; of: string } | null>(null);
    /** What was there before it was saved, and the version that came of it. */
    const [before, setBefore] = useState<{ rows: readonly Row[]; now: string } | null>(null);
    const [said, setSaid] = useState<ListForm<Row>["said"]>(null);
    const act = useAct();
    const rows = draft?.rows ?? current;
    const n = draft && !draft.isSaved ? Math.max(countDifferent(current, draft.rows), draft.rows.length === current.length ? 0 : 1) : 0;
    useLeaveGuard(n > 0, t("settings.leave"));
    const key = JSON.stringify(current);
    useEffect(() => {
        if (draft?.isSaved) setDraft(null);
    }, [key]);

    const show = (next: readonly Row[], of: string) => {
        setDraft({ rows: next, isSaved: true, of });
        onDone();
    };
    /** A draft that is saved is the box's list; of one that is not, what it was begun with counts. */
    const of = draft?.of ?? version;
    const apply = async (next: readonly Row[], force: boolean) => {
        const was = current;
        const now = await put(next, force, of);
        setBefore({ rows: was, now });
        setSaid("saved");
        show(next, now);
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
            setDraft({ rows: next, isSaved: false, of });
        },
        apply,
        save: async (force) => {
            if (!(await act.run(() => apply(rows, force)))) onDone(); // what there is now is seen when it is discarded
        },
        undo: async () => {
            if (!before) return;
            let now = "";
            const putBack = async () => {
                now = await put(before.rows, true, before.now);
            };
            if (!(await act.run(putBack))) return;
            setBefore(null);
            setSaid("undone");
            show(before.rows, now);
        },
        discard: () => {
            setDraft(null);
            act.clear();
        },
    };
}
