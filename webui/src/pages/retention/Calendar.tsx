import { useMemo } from "preact/hooks";
import type { Day } from "../../api/retention";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatDays, weekday, weekdayName } from "../../utils/days";
import { formatBytes, formatCount } from "../../utils/format";
import css from "./days.module.css";
import type { Picked } from "./pick";

interface Props {
    names: string[];
    days: Day[];
    picked: Picked | null;
    onPick: (day: string) => void;
}

function Cell({ name, day, most, isPicked, onPick }: { name: string; day: Day | undefined; most: number; isPicked: boolean; onPick: (day: string) => void }) {
    const { t, lang } = useWords();
    const label = formatDays(name, name, lang, name);
    const hasAny = day !== undefined && day.messages > 0;
    const marks = [day?.is_held && t("days.held"), day?.is_open && t("days.open")].filter(Boolean);
    const says = hasAny
        ? t("days.cell", { day: label, bytes: formatBytes(day.bytes), messages: formatCount(day.messages) })
        : t("days.cellNone", { day: label });
    const full = [says, ...marks].join(lang === "ja" ? "、" : ", ");
    return (
        <button
            type="button"
            class={cx(css.cell, isPicked && css.picked, day?.is_held && css.held)}
            disabled={!hasAny}
            aria-pressed={isPicked}
            title={full}
            onClick={() => onPick(name)}
        >
            <span class="visually-hidden">{full}</span>
            <span class={css.number} aria-hidden="true">{Number(name.slice(8))}</span>
            <span class={css.bytes} aria-hidden="true">{hasAny ? formatBytes(day.bytes) : "–"}</span>
            <span class={css.track}>
                <span style={{ width: hasAny ? `${Math.max(2, (day.bytes / most) * 100)}%` : "0" }} />
            </span>
            <span class={css.marks} aria-hidden="true">{marks.join(" ") || "\u00a0"}</span>
        </button>
    );
}

/** A month as weeks from Monday on.  The bar of a day is its share of the largest. */
export function Calendar({ names, days, picked, onPick }: Props) {
    const { lang } = useWords();
    const of = useMemo(() => new Map(days.map((d) => [d.day, d])), [days]);
    const most = Math.max(1, ...days.map((d) => d.bytes));
    const before = weekday(names[0] ?? "2024-01-01");
    return (
        <div class={css.calendar}>
            {Array.from({ length: 7 }, (_, i) => (
                <span key={i} class={css.weekday} aria-hidden="true">
                    {weekdayName(i, lang)}
                </span>
            ))}
            {Array.from({ length: before }, (_, i) => (
                <span key={`before ${i}`} />
            ))}
            {names.map((name) => (
                <Cell
                    key={name}
                    name={name}
                    day={of.get(name)}
                    most={most}
                    isPicked={picked !== null && name >= picked.from && name <= picked.to}
                    onPick={onPick}
                />
            ))}
        </div>
    );
}
