import { Holds } from "./Holds";
import { Receipts } from "./Receipts";
import css from "./retention.module.css";
import type { View } from "./view";

/** What may not be deleted, and what was. */
export function Kept({ view }: { view: View }) {
    return (
        <div class={css.grid}>
            <Holds view={view} />
            <Receipts />
        </div>
    );
}
