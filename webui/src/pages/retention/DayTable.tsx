import type { Day } from "../../api/retention";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { formatBytes, formatCount } from "../../utils/format";
import css from "./months.module.css";

export function DayTable({ days }: { days: Day[] }) {
    const { t } = useWords();
    return (
        <details class={css.details}>
            <summary>{t("ret.asTable")}</summary>
            <div tabIndex={0} role="group" aria-label={t("days.day")}>
                <table class={ui.table}>
                    <thead>
                        <tr>
                            <th scope="col">{t("days.day")}</th>
                            <th scope="col" class={ui.num}>
                                {t("days.messages")}
                            </th>
                            <th scope="col" class={ui.num}>
                                {t("days.raw")}
                            </th>
                            <th scope="col" class={ui.num}>
                                {t("days.disk")}
                            </th>
                            <th scope="col">{t("days.group")}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {days.map((d) => (
                            <tr key={d.day}>
                                <th scope="row">{d.day}</th>
                                <td class={ui.num}>{formatCount(d.messages)}</td>
                                <td class={ui.num}>{formatBytes(d.raw_bytes)}</td>
                                <td class={ui.num}>{formatBytes(d.bytes)}</td>
                                <td>{d.groups.map((g) => `${g.group} ${formatBytes(g.bytes)}`).join(" · ")}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </details>
    );
}
