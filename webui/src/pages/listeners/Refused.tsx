import { useState } from "preact/hooks";
import type { AllowEntry, RefusedSender } from "../../api/listeners";
import { Ask } from "../../components/Ask";
import { Card, Moment } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { letsIn } from "./allow";
import css from "./listeners.module.css";

interface Props {
    senders: readonly RefusedSender[];
    /** The list in force. */
    current: readonly AllowEntry[];
    /** False: the list is being changed, or the reader may not. */
    mayAllow: boolean;
    allow: (entry: AllowEntry) => Promise<unknown>;
}

/** Who was turned away by the list, with what came first of each, as text. */
export function Refused({ senders, current, mayAllow, allow }: Props) {
    const { t } = useWords();
    const [asked, setAsked] = useState<RefusedSender | null>(null);
    return (
        <Card title={t("refused.title")} aside={senders.length >= 1000 && <span class="dim">{t("refused.more")}</span>}>
            {senders.length === 0 ? (
                <p class={css.body}>{t("refused.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("refused.title")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("refused.address")}</th>
                                <th scope="col">{t("ledger.listener")}</th>
                                <th scope="col" class={ui.num}>
                                    {t("refused.count")}
                                </th>
                                <th scope="col">{t("refused.last")}</th>
                                <th scope="col">{t("refused.payload")}</th>
                                {mayAllow && <td />}
                            </tr>
                        </thead>
                        <tbody>
                            {senders.map((s) => (
                                <tr key={`${s.address} ${s.listener}`}>
                                    <th scope="row" class="mono">
                                        {s.address}
                                    </th>
                                    <td>{s.listener.toUpperCase()}</td>
                                    <td class={ui.num}>{formatCount(s.count)}</td>
                                    <td>
                                        <Moment at={s.last_at} />
                                    </td>
                                    <td class={cx("mono", css.payload)}>{s.first_payload || <span class="dim">{t("refused.nothing")}</span>}</td>
                                    {mayAllow && (
                                        <td>
                                            {letsIn(current, { source: s.address, listener: s.listener }) ? (
                                                <span class="dim">{t("refused.isAllowed")}</span>
                                            ) : (
                                                <button type="button" class={cx(ui.button, ui.small)} onClick={() => setAsked(s)}>
                                                    {t("refused.allow")} <span class="visually-hidden">{s.address}</span>
                                                </button>
                                            )}
                                        </td>
                                    )}
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {asked && (
                <Ask
                    title={t("refused.allowTitle", { address: asked.address })}
                    help={t("refused.allowHelp", { address: asked.address, listener: asked.listener.toUpperCase() })}
                    button={t("refused.allowButton", { address: asked.address })}
                    isHarmless
                    act={() => allow({ network: asked.address, listener: asked.listener, note: "" })}
                    onDone={() => undefined}
                    onClose={() => setAsked(null)}
                />
            )}
        </Card>
    );
}
