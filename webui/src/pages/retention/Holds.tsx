import { useState } from "preact/hooks";
import { deleteHold, type Hold } from "../../api/retention";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { dayAt, formatDays } from "../../utils/days";
import { formatBytes, formatExact, formatTime } from "../../utils/format";
import { Ask } from "../../components/Ask";
import css from "./retention.module.css";
import { actorText, countWords } from "./texts";
import type { View } from "./view";

export function Holds({ view }: { view: View }) {
    const { t, lang } = useWords();
    const { data: r, reader, mayChange } = view;
    const [removed, setRemoved] = useState<Hold | null>(null);
    // `to` is the first moment that is no longer held.
    const days = (hold: Hold) => formatDays(dayAt(hold.from, r.zone), dayAt(Date.parse(hold.to) - 1, r.zone), lang, reader.today);
    return (
        <Card title={t("holds.title")}>
            {r.holds.length === 0 ? (
                <p class={css.empty}>{t("holds.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("holds.title")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("holds.range")}</th>
                                <th scope="col">{t("days.group")}</th>
                                <th scope="col">{t("hold.reason")}</th>
                                <th scope="col">{t("holds.pins")}</th>
                                <th scope="col">{t("holds.by")}</th>
                                {mayChange && <td />}
                            </tr>
                        </thead>
                        <tbody>
                            {r.holds.map((hold) => (
                                <tr key={hold.id}>
                                    <th scope="row" title={`${formatExact(hold.from)}\n${formatExact(hold.to)}`}>
                                        {days(hold)}
                                    </th>
                                    <td>{hold.group ?? t("days.allGroups")}</td>
                                    <td class={css.reason}>{hold.reason}</td>
                                    <td>{t("days.sum", countWords(hold.messages, hold.bytes))}</td>
                                    <td title={formatExact(hold.at)}>
                                        {actorText(hold.actor)} <span class="dim">{formatTime(hold.at)}</span>
                                    </td>
                                    {mayChange && (
                                        <td class={css.rowActs}>
                                            <button
                                                type="button"
                                                class={cx(ui.button, ui.small)}
                                                onClick={() => setRemoved(hold)}
                                            >
                                                {t("holds.remove")} <span class="visually-hidden">{days(hold)}</span>
                                            </button>
                                        </td>
                                    )}
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {removed && (
                <Ask
                    title={t("holds.removeTitle", { days: days(removed) })}
                    help={t("holds.removeHelp", { bytes: formatBytes(removed.bytes) })}
                    button={t("holds.remove")}
                    act={() => deleteHold(removed.id)}
                    onDone={view.reload}
                    onClose={() => setRemoved(null)}
                />
            )}
        </Card>
    );
}
