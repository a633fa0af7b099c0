import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ApiError } from "../../api/client";
import type { BoxEvent } from "../../api/events";
import { tone, type Mark } from "../../charts/marks";
import { useWords } from "../../i18n";
import { useStore } from "../../state/store";
import type { Span } from "../../state/timeRange";
import { cx } from "../../utils/cx";
import { formatExact, formatTime } from "../../utils/format";
import { errorText } from "../States";
import ui from "../ui.module.css";
import { cursorAt } from "./Graph";
import css from "./graph.module.css";

interface Props {
    span: Span;
    marks: readonly Mark[];
    /** Events that the marks were made of, and whether the box has more. */
    count: number;
    isCut: boolean;
    error: ApiError | null;
    /** At the right of the text. */
    children: ComponentChildren;
}

/** As much as one line can say. */
const SAID_MAX = 3;
/** A cursor this near means the mark: a hundredth of the range. */
const NEAR = 100;

function nearest(marks: readonly Mark[], at: number | null, span: Span): Mark | null {
    if (at === null) return null;
    const found = marks.reduce<Mark | null>((best, m) => (best && Math.abs(best.at - at) <= Math.abs(m.at - at) ? best : m), null);
    return found && Math.abs(found.at - at) <= (span.to - span.from) / NEAR ? found : null;
}

/** The events of the range on the graphs' time axis; the text of the one under the mouse, the focus or the
 * graphs' cursor. */
export function EventLane({ span, marks, count, isCut, error, children }: Props) {
    const { t, lang } = useWords();
    const cursor = useStore(cursorAt);
    const [pointed, setPointed] = useState<Mark | null>(null);
    const chosen = pointed ?? nearest(marks, cursor, span);
    const text = (event: BoxEvent) => (lang === "ja" ? event.text_ja : event.text_en);
    const say = (mark: Mark) => {
        const last = mark.events.slice(-SAID_MAX).reverse();
        const said = last.map((event) => `${formatTime(event.at)} ${text(event)}`);
        const rest = mark.events.length - last.length;
        return [...said, ...(rest > 0 ? [t("marks.and", { n: rest })] : [])].join(" · ");
    };
    const words = useMemo(() => marks.map(say), [marks, lang]);
    const line = chosen ? say(chosen) : error ? `${t("marks.failed")} ${errorText(error, t)}` : "";
    return (
        <section class={cx(ui.card, css.lane)} aria-label={t("marks.label")}>
            <ul class={css.track}>
                {marks.map((mark, i) => (
                    <li key={mark.events[0]?.id}>
                        <button
                            type="button"
                            class={cx(css.mark, css[tone(mark.severity)])}
                            style={{ left: `${((mark.at - span.from) / (span.to - span.from)) * 100}%` }}
                            aria-label={words[i]}
                            title={formatExact(new Date(mark.at).toISOString())}
                            onMouseEnter={() => setPointed(mark)}
                            onMouseLeave={() => setPointed(null)}
                            onFocus={() => setPointed(mark)}
                            onBlur={() => setPointed(null)}
                        />
                    </li>
                ))}
            </ul>
            <p class={css.count}>{error ? "" : t(count === 0 ? "marks.none" : isCut ? "marks.more" : "marks.count", { n: count })}</p>
            <p class={css.say} title={line}>
                {line || <span class={cx("dim", css.help)}>{t("graph.dragHelp")}</span>}
            </p>
            <div class={css.back}>{children}</div>
        </section>
    );
}
