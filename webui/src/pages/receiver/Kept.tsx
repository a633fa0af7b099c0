import type { Detail } from "../../api/receiver";
import { Card, Moment } from "../../components/States";
import { useWords, type Key } from "../../i18n";
import { formatBytes, formatCount } from "../../utils/format";
import { Facts } from "./Facts";
import css from "./receiver.module.css";
import { fillOf } from "./stages";

const STATE: Record<Detail["spool"]["state"], Key> = {
    idle: "spool.idle",
    filling: "spool.filling",
    draining: "spool.draining",
    full: "spool.full",
};

/** What is safe though it is not stored: the journal against a kill, the spool while the database is away. */
export function KeptCard({ detail }: { detail: Detail }) {
    const { t } = useWords();
    const { journal, spool } = detail;
    const of = (used: number, limit: number) => t("way.of", { used: formatBytes(used), limit: formatBytes(limit) });
    return (
        <Card title={t("spool.title")}>
            <Facts
                facts={[
                    { word: "spool.state", value: t(STATE[spool.state]), isBad: spool.state === "full" },
                    { word: "spool.bytes", value: of(spool.bytes, spool.max_bytes), isBad: fillOf(spool.bytes, spool.max_bytes).tone === "bad" },
                    { word: "spool.messages", value: t("way.inUnits", { n: formatCount(spool.messages), units: formatCount(spool.units) }) },
                    { word: "spool.oldest", value: spool.oldest_at ? <Moment at={spool.oldest_at} /> : "–" },
                    { word: "spool.torn", value: formatCount(spool.torn), isBad: spool.torn > 0 },
                    { word: "spool.aside", value: formatCount(spool.aside), isBad: spool.aside > 0 },
                    { word: "journal.bytes", value: of(journal.used, journal.bytes), isBad: fillOf(journal.used, journal.bytes).tone === "bad" },
                ]}
            />
            {spool.torn > 0 && <p class={css.foot}>{t("spool.tornHelp")}</p>}
            {spool.aside > 0 && <p class={css.foot}>{t("spool.asideHelp")}</p>}
        </Card>
    );
}
