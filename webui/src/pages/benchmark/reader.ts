import type { Translate } from "../../i18n";
import type { Language } from "../../utils/format";

/** Who reads the page, and what that role may do. */
export interface Reader {
    t: Translate;
    lang: Language;
    /** Start, stop and delete runs. */
    mayRun: boolean;
    /** Delete the messages that benchmarks left. */
    mayDelete: boolean;
    /** Of the box, now. */
    version: string;
}
