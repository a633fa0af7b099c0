import type { TlsSender } from "../../api/tls";
import { Card, Moment } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount, formatDay } from "../../utils/format";
import { logsOf } from "../dashboard/SourceCards";
import css from "./listeners.module.css";

interface Props {
    senders: readonly TlsSender[];
    /** Put its name on the list. */
    onAllow: (sender: TlsSender) => void;
    isListed: (sender: TlsSender) => boolean;
}

/** Who has shown a certificate that was accepted. */
export function TlsSenders({ senders, onAllow, isListed }: Props) {
    const { t } = useWords();
    return (
        <Card title={t("tlsSender.title")}>
            {senders.length === 0 ? (
                <p class={css.body}>{t("tlsSender.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("tlsSender.title")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("tlsSender.name")}</th>
                                <th scope="col">{t("ledger.source")}</th>
                                <th scope="col" class={ui.num}>
                                    {t("tlsSender.connections")}
                                </th>
                                <th scope="col">{t("tlsSender.last")}</th>
                                <th scope="col">{t("tlsSender.until")}</th>
                                <th scope="col">{t("cert.fingerprint")}</th>
                                <td />
                            </tr>
                        </thead>
                        <tbody>
                            {senders.map((s) => (
                                <tr key={`${s.source} ${s.fingerprint}`}>
                                    <th scope="row">{s.name}</th>
                                    <td>
                                        <a class="mono" href={logsOf(s.source)}>
                                            {s.source}
                                        </a>
                                    </td>
                                    <td class={ui.num}>{formatCount(s.connections)}</td>
                                    <td>
                                        <Moment at={s.last_at} />
                                    </td>
                                    <td>{formatDay(s.not_after)}</td>
                                    <td class={cx("mono", css.fingerprint)} title={s.fingerprint}>
                                        {s.fingerprint}
                                    </td>
                                    <td>
                                        {!isListed(s) && (
                                            <button type="button" class={cx(ui.button, ui.small)} onClick={() => onAllow(s)}>
                                                {t("tlsSender.allow")} <span class="visually-hidden">{s.name}</span>
                                            </button>
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
