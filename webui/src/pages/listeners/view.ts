import type { Listeners } from "../../api/listeners";
import type { Setting } from "../../api/types";

/** What every tab of the page gets. */
export interface View {
    listeners: Listeners;
    settings: Setting[];
    isAdmin: boolean;
    /** Ask the box again: something was changed. */
    reload: () => void;
    onSettings: (settings: Setting[]) => void;
}
