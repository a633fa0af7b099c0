import type { Retention } from "../../api/retention";
import type { Reader } from "./texts";

/** What every part of the page gets. */
export interface View {
    data: Retention;
    reader: Reader;
    /** Holds, groups, the rule: an operator may. */
    mayChange: boolean;
    /** Logs are destroyed by administrators alone. */
    mayDelete: boolean;
    /** Ask the box again: something was changed. */
    reload: () => void;
}
