import { getReceipts } from "../../api/retention";
import { Card, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { ROWS_SHOWN } from "../../state/newest";
import { useNewest } from "../../state/useNewest";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount, formatExact, formatTime, formatTimes } from "../../utils/format";
import css from "./retention.module.css";
import { actorText, reasonText } from "./texts";

const EVERY_MS = 15_000;

/** What was deleted, when, why and by whom. */
export function Receipts() {
    const { t } = useWords();
    const { shown, error, isFetching, older, reload } = useNewest("receipts", getReceipts, EVERY_MS);
    const entries = shown?.entries ?? [];
    return (
        <Card title={t("rec.title")}>
            {error && <Failed error={error} retry={reload} />}
            {!shown && !error && <Skeleton heights={[240]} />}
            {shown && entries.length === 0 && <p class={css.empty}>{t("rec.none")}</p>}
            {entries.length > 0 && (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("rec.title")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("rec.at")}</th>
                                <th scope="col">{t("holds.range")}</th>
                                <th scope="col">{t("days.group")}</th>
                                <th scope="col" class={ui.num}>
                                    {t("days.messages")}
                                </th>
                                <th scope="col" class={ui.num}>
                                    {t("days.disk")}
                                </th>
                                <th scope="col">{t("rec.reason")}</th>
                                <th scope="col">{t("rec.by")}</th>
                            </tr>
                        </thead>
                        <tbody>
                            {entries.map((e) => (
                                <tr key={e.id}>
                                    <th scope="row" title={formatExact(e.at)}>
                                        {formatTime(e.at)}
                                    </th>
                                    <td title={`${formatExact(e.from)}\n${formatExact(e.to)}`}>{formatTimes(new Date(e.from), new Date(e.to))}</td>
                                    <td>{e.group ?? t("days.allGroups")}</td>
                                    <td class={ui.num}>{formatCount(e.messages)}</td>
                                    <td class={ui.num}>{formatBytes(e.bytes)}</td>
                                    <td>{reasonText(e.reason, t)}</td>
                                    <td>{actorText(e.actor)}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {shown && shown.next !== null && entries.length < ROWS_SHOWN && (
                <div class={css.more}>
                    <button type="button" class={cx(ui.button, ui.small)} disabled={isFetching} onClick={older}>
                        {t("rec.older")}
                    </button>
                </div>
            )}
        </Card>
    );
}
