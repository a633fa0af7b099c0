import { cx } from "../utils/cx";
import css from "./Meter.module.css";

/** How much of something is used, as a bar; the figures stand beside it. */
export function Meter({ share, tone }: { share: number; tone: "good" | "warn" | "bad" }) {
    const percent = share > 0 ? Math.max(1, Math.round(share * 100)) : 0;
    return (
        <span class={cx(css.meter, tone !== "good" && css[tone])} aria-hidden="true">
            <span style={{ width: `${percent}%` }} />
        </span>
    );
}
