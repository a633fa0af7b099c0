import type { ListenerDetail } from "../../api/receiver";
import type { ListenerName, Rates } from "../../api/types";
import { Spark } from "../../components/Spark";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount, formatRate } from "../../utils/format";
import type { Counter } from "./rates";
import css from "./receiver.module.css";
import { minutesOf } from "./useReceiver";

export const LISTENER_WORD: Record<ListenerName, Key> = { udp: "listener.udp", tcp: "listener.tcp", tls: "listener.tls" };

function Bound({ listener: l }: { listener: ListenerDetail }) {
    const { t } = useWords();
    if (l.wanted === "" && l.bound.length === 0) return <span class="dim">{t("recv.notWanted")}</span>;
    return (
        <>
            {l.bound.map((address) => (
                <div key={address} class="mono">
                    {address}
                </div>
            ))}
            {l.bound.length === 0 && <span class={css.bad}>{t("recv.notBound")}</span>}
            {l.error && <div class={cx(css.bad, css.wrap)}>{t("recv.bindError", { wanted: l.wanted, why: l.error })}</div>}
        </>
    );
}

/** How full the kernel's buffer is, or how many are connected. */
function Held({ listener: l }: { listener: ListenerDetail }) {
    const { t } = useWords();
    if (l.buffer_bytes !== null) {
        if (l.buffer_bytes === 0) return <>–</>;
        return <>{t("recv.bufferOf", { used: formatBytes(l.buffer_used ?? 0), of: formatBytes(l.buffer_bytes) })}</>;
    }
    return <>{t("recv.connectionsN", { n: formatCount(l.connections ?? 0) })}</>;
}

function Hour({ name, hour }: { name: ListenerName; hour: Rates | undefined }) {
    const { t } = useWords();
    if (!hour) return null;
    const values = minutesOf(hour, name);
    const most = Math.max(0, ...values.map((v) => v ?? 0));
    return (
        <span class={css.hour}>
            <Spark values={values} class={cx(css.spark, css[name])} />
            <span class="dim">{t("recv.most", { n: formatRate(most) })}</span>
        </span>
    );
}

interface Props {
    listeners: readonly ListenerDetail[];
    rates: Record<ListenerName, Counter | null>;
    hour: Rates | undefined;
}

/** Each listener: where it is, and what comes by it. */
export function ListenersCard({ listeners, rates, hour }: Props) {
    const { t } = useWords();
    const heads: [Key, boolean][] = [
        ["recv.boundAt", false],
        ["recv.now", true],
        ["recv.lastHour", false],
        ["recv.sinceStart", true],
        ["recv.held", true],
        ["ledger.kernel", true],
    ];
    return (
        <Card title={t("recv.listeners")} aside={<a href="/listeners">{t("recv.toListeners")}</a>}>
            <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("recv.listeners")}>
                <table class={ui.table}>
                    <thead>
                        <tr>
                            <th scope="col">{t("ledger.listener")}</th>
                            {heads.map(([key, isNumber]) => (
                                <th key={key} scope="col" class={isNumber ? ui.num : ""}>
                                    {t(key)}
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {listeners.map((l) => {
                            const rate = rates[l.name];
                            return (
                                <tr key={l.name}>
                                    <th scope="row">{t(LISTENER_WORD[l.name])}</th>
                                    <td class={css.bound}>
                                        <Bound listener={l} />
                                    </td>
                                    <td class={ui.num}>
                                        <b>{rate ? t("recv.rate", { n: formatRate(rate.messages) }) : "–"}</b>
                                        <div class="dim">{rate && t("recv.bytesRate", { n: formatBytes(rate.bytes) })}</div>
                                    </td>
                                    <td>
                                        <Hour name={l.name} hour={hour} />
                                    </td>
                                    <td class={ui.num}>
                                        {formatCount(l.received)}
                                        <div class="dim">{formatBytes(l.bytes)}</div>
                                    </td>
                                    <td class={ui.num}>
                                        <Held listener={l} />
                                    </td>
                                    <td class={cx(ui.num, l.kernel_dropped > 0 && css.bad)}>
                                        {l.buffer_bytes === null ? "–" : formatCount(l.kernel_dropped)}
                                    </td>
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            </div>
        </Card>
    );
}
