import type { Detail } from "../../api/receiver";
import { Card } from "../../components/States";
import { useWords, type Key } from "../../i18n";
import { formatCount } from "../../utils/format";
import { Facts, ReasonsTable } from "./Facts";
import css from "./receiver.module.css";
import { counted } from "./stages";

type TurnedAway = keyof Detail["connections"]["turned_away"] | "idle" | "slow";
const AWAY: Record<TurnedAway, { word: Key; help: Key }> = {
    limit: { word: "away.limit", help: "away.limitHelp" },
    source_limit: { word: "away.source", help: "away.sourceHelp" },
    descriptors: { word: "away.descriptors", help: "away.descriptorsHelp" },
    not_allowed: { word: "away.notAllowed", help: "away.notAllowedHelp" },
    idle: { word: "away.idle", help: "away.idleHelp" },
    slow: { word: "away.slow", help: "away.slowHelp" },
};
/** The names of firmware/net/tls_failure.c. */
const FAILED: Record<string, { word: Key; help: Key }> = {
    not_tls: { word: "tls.notTls", help: "tls.notTlsHelp" },
    version: { word: "tls.version", help: "tls.versionHelp" },
    cipher: { word: "tls.cipher", help: "tls.cipherHelp" },
    no_certificate: { word: "tls.noCertificate", help: "tls.noCertificateHelp" },
    unknown_ca: { word: "tls.unknownCa", help: "tls.unknownCaHelp" },
    expired: { word: "tls.expired", help: "tls.expiredHelp" },
    not_yet_valid: { word: "tls.notYetValid", help: "tls.notYetValidHelp" },
    wrong_name: { word: "tls.wrongName", help: "tls.wrongNameHelp" },
    revoked_or_refused: { word: "tls.refused", help: "tls.refusedHelp" },
    timeout: { word: "tls.timeout", help: "tls.timeoutHelp" },
    closed: { word: "tls.closed", help: "tls.closedHelp" },
    other: { word: "tls.other", help: "tls.otherHelp" },
};
const UNKNOWN_FAILURE = { word: "tls.other", help: "tls.otherHelp" } as const;

export function ConnectionsCard({ detail }: { detail: Detail }) {
    const { t } = useWords();
    const { connections: c, senders } = detail;
    const rows = counted<TurnedAway>({ ...c.turned_away, idle: c.idle_closed, slow: c.slow_closed });
    return (
        <Card title={t("conn.title")} aside={<span class="dim">{t("recv.sinceStartHint")}</span>}>
            <Facts
                facts={[
                    { word: "conn.open", value: formatCount(c.open) },
                    { word: "conn.senders", value: formatCount(senders.known) },
                    { word: "conn.limited", value: formatCount(senders.limited), isBad: senders.limited > 0 },
                    { word: "conn.refused", value: formatCount(senders.refused), isBad: senders.refused > 0 },
                ]}
            />
            {rows.length === 0 ? (
                <p class={css.empty}>{t("conn.none")}</p>
            ) : (
                <ReasonsTable
                    label={t("conn.title")}
                    heads={["conn.why", "conn.n"]}
                    rows={rows.map(({ name, n }) => ({ key: name, n, ...AWAY[name] }))}
                />
            )}
            {(senders.refused > 0 || c.turned_away.not_allowed > 0) && (
                <p class={css.foot}>
                    <a href="/listeners?tab=senders">{t("conn.toRefused")}</a>
                </p>
            )}
        </Card>
    );
}

export function TlsCard({ detail }: { detail: Detail }) {
    const { t } = useWords();
    const { tls } = detail;
    const rows = counted(tls.failed);
    const isWanted = detail.listeners.some((l) => l.name === "tls" && (l.wanted !== "" || l.bound.length > 0));
    if (!isWanted && tls.handshakes === 0 && rows.length === 0)
        return (
            <Card title={t("tls.title")}>
                <p class={css.empty}>
                    {t("tls.off")} <a href="/listeners">{t("recv.toListeners")}</a>
                </p>
            </Card>
        );
    return (
        <Card title={t("tls.title")} aside={<span class="dim">{t("recv.sinceStartHint")}</span>}>
            <Facts
                facts={[
                    { word: "tls.handshakes", value: formatCount(tls.handshakes) },
                    { word: "tls.resumed", value: formatCount(tls.resumed) },
                    { word: "tls.open", value: formatCount(tls.open) },
                    { word: "tls.halfOpen", value: formatCount(tls.half_open) },
                ]}
            />
            {rows.length === 0 ? (
                <p class={css.empty}>{t("tls.none")}</p>
            ) : (
                <ReasonsTable
                    label={t("tls.failed")}
                    heads={["tls.why", "tls.failed"]}
                    rows={rows.map(({ name, n }) => ({ key: name, n, ...(FAILED[name] ?? UNKNOWN_FAILURE) }))}
                />
            )}
            <p class={css.foot}>
                <a href="/listeners?tab=tls">{t("tls.toCertificates")}</a>
            </p>
        </Card>
    );
}
