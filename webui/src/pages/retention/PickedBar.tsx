import type { Day } from "../../api/retention";
import formCss from "../../components/form.module.css";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { href } from "../../state/router";
import { cx } from "../../utils/cx";
import { addDays, dayStart, formatDays } from "../../utils/days";
import css from "./days.module.css";
import { sumOf, type Picked } from "./pick";
import { countWords } from "./texts";
import type { View } from "./view";

interface Props {
    view: View;
    days: Day[];
    picked: Picked;
    group: string | null;
    onGroup: (group: string | null) => void;
    onAct: (act: "delete" | "hold") => void;
    onClear: () => void;
}

/** The chosen days: what they hold, and what can be done with them. */
export function PickedBar({ view, days, picked, group, onGroup, onAct, onClear }: Props) {
    const { t, lang } = useWords();
    const { data: r, reader, mayChange, mayDelete } = view;
    const name = formatDays(picked.from, picked.to, lang, reader.today);
    const sum = sumOf(days, picked, group);
    const logs = href("/logs", {
        from: dayStart(picked.from, r.zone).toISOString(),
        to: dayStart(addDays(picked.to, 1), r.zone).toISOString(),
    });
    return (
        <div class={css.bar} role="region" aria-label={name}>
            <span role="status">
                <b>{name}</b> {t("days.sum", countWords(sum.messages, sum.bytes))}
            </span>
            {reader.hasGroups && (
                <select aria-label={t("days.group")} value={group ?? ""} onChange={(e) => onGroup(e.currentTarget.value || null)}>
                    <option value="">{t("days.allGroups")}</option>
                    {r.groups.map((g) => (
                        <option key={g.id} value={g.name}>
                            {g.name}
                        </option>
                    ))}
                </select>
            )}
            <a class={ui.button} href={logs}>
                {t("days.logs")}
            </a>
            {mayChange && (
                <button type="button" class={ui.button} onClick={() => onAct("hold")}>
                    {t("days.hold")}
                </button>
            )}
            {mayDelete && (
                <button type="button" class={cx(ui.button, formCss.danger)} disabled={sum.messages === 0} onClick={() => onAct("delete")}>
                    {t("days.delete", { days: name })}
                </button>
            )}
            <button type="button" class={cx(ui.button, ui.bare)} onClick={onClear}>
                {t("days.clear")}
            </button>
        </div>
    );
}
