import type { Gaps } from "../../api/receiver";
import { Ago, Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { href } from "../../state/router";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { clause } from "../../utils/query";
import { gapsBySource } from "./gaps";
import { LISTENER_WORD } from "./ListenersCard";
import css from "./receiver.module.css";

/** What senders lost on the way here, by the numbers they give their messages. */
export function GapsCard({ gaps }: { gaps: Gaps }) {
    const { t } = useWords();
    const rows = gapsBySource(gaps);
    return (
        <Card title={t("gaps.title")} aside={!gaps.complete && <span class="dim">{t("gaps.more")}</span>}>
            <p class={css.note}>{t("gaps.help")}</p>
            {rows.length === 0 ? (
                <p class={css.empty}>{t("gaps.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("gaps.title")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("ledger.source")}</th>
                                <th scope="col">{t("ledger.listener")}</th>
                                <th scope="col" class={ui.num}>
                                    {t("gaps.missing")}
                                </th>
                                <th scope="col" class={ui.num}>
                                    {t("gaps.repeated")}
                                </th>
                                <th scope="col">{t("gaps.last")}</th>
                                <td />
                            </tr>
                        </thead>
                        <tbody>
                            {rows.map((row) => (
                                <tr key={`${row.source} ${row.listener}`}>
                                    <th scope="row" class="mono">
                                        {row.source}
                                    </th>
                                    <td>{t(LISTENER_WORD[row.listener])}</td>
                                    <td class={cx(ui.num, row.missing > 0 && css.bad)}>{formatCount(row.missing)}</td>
                                    <td class={ui.num}>{formatCount(row.repeated)}</td>
                                    <td>{row.at === null ? "–" : <Ago at={row.at} />}</td>
                                    <td>
                                        {row.from && row.to && (
                                            <a href={href("/logs", { q: clause("source", row.source), from: row.from, to: row.to })}>{t("gaps.around")}</a>
                                        )}
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </Card>
    );
}
