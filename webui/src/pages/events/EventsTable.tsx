import type { BoxEvent } from "../../api/events";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { href } from "../../state/router";
import { cx } from "../../utils/cx";
import { formatExact, formatTime } from "../../utils/format";
import { SEVERITIES, SEVERITY_HELP, severityTone } from "../../utils/severity";
import css from "./events.module.css";

const AROUND_MS = 300_000;

function around(at: string): string {
    const ms = Date.parse(at);
    return href("/logs", { from: new Date(ms - AROUND_MS).toISOString(), to: new Date(ms + AROUND_MS).toISOString() });
}

export function EventsTable({ entries }: { entries: BoxEvent[] }) {
    const { t, lang } = useWords();
    return (
        <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("events.title")}>
            <table class={cx(ui.table, css.table)}>
                <thead>
                    <tr>
                        <th scope="col">{t("events.time")}</th>
                        <th scope="col">{t("events.severity")}</th>
                        <th scope="col">{t("events.what")}</th>
                        <th scope="col">{t("events.type")}</th>
                    </tr>
                </thead>
                <tbody>
                    {entries.map((e) => {
                        const severity = SEVERITIES.findIndex((s) => s === e.severity);
                        const help = SEVERITY_HELP[severity];
                        return (
                            <tr key={e.id}>
                                <td class={css.time}>
                                    <a href={around(e.at)} title={`${formatExact(e.at)} · ${t("events.logs")}`}>
                                        {formatTime(e.at)}
                                    </a>
                                </td>
                                <td>
                                    <span class={cx(css.severity, css[severityTone(severity)])} title={help && t(help)}>
                                        {e.severity}
                                    </span>
                                </td>
                                <td class={css.text}>{lang === "ja" ? e.text_ja : e.text_en}</td>
                                <td class={cx("mono", "dim", css.kind)}>{e.kind}</td>
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </div>
    );
}
