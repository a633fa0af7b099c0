import type { Detail } from "../../api/receiver";
import type { Ledger, Reason } from "../../api/types";
import { Card } from "../../components/States";
import { useWords, type Key, type Translate } from "../../i18n";
import { formatCount } from "../../utils/format";
import { REASON_WORD } from "./CountsTable";
import { ReasonsTable } from "./Facts";
import css from "./receiver.module.css";
import { counted } from "./stages";

const HELP: Record<Reason | "kernel", Key> = {
    not_allowed: "lost.notAllowed",
    rate_limit: "lost.rateLimit",
    oversize: "lost.oversize",
    bad_frame: "lost.badFrame",
    over_budget: "lost.overBudget",
    queue_full: "lost.queueFull",
    crash: "lost.crash",
    rejected: "reason.rejectedHelp",
    kernel: "ledger.kernelHelp",
};

/** What no socket's counter shows. */
function beforeText(machine: NonNullable<Detail["machine"]>, t: Translate): string {
    const { softnet_dropped: softnet, udp_damaged: damaged } = machine;
    if (softnet === null && damaged === null) {
        return t("lost.beforeUnknown");
    }
    if (!softnet && !damaged) {
        return t("lost.beforeNone");
    }
    return t("lost.before", { softnet: softnet === null ? "?" : formatCount(softnet), damaged: damaged === null ? "?" : formatCount(damaged) });
}

/** What was not stored in the range, by reason, the kernel's drops among it. */
export function LostCard({ ledger, detail }: { ledger: Ledger; detail: Detail | null }) {
    const { t } = useWords();
    const rows = counted<Reason | "kernel">({ ...ledger.total.reasons, kernel: ledger.kernel_dropped.total });
    const machine = detail?.machine;
    const udp = detail?.listeners.find((l) => l.name === "udp");
    return (
        <Card title={t("lost.title")}>
            {rows.length === 0 ? (
                <p class={css.empty}>{t("lost.none")}</p>
            ) : (
                <ReasonsTable
                    label={t("lost.title")}
                    heads={["lost.why", "lost.n"]}
                    rows={rows.map(({ name, n }) => ({ key: name, n, word: name === "kernel" ? "ledger.kernel" : REASON_WORD[name], help: HELP[name] }))}
                />
            )}
            {udp && (udp.kernel_dropped > 0 || udp.flooding_sources > 0) && (
                <p class={css.foot}>
                    {t("lost.flood", { dropped: formatCount(udp.kernel_dropped), flood: formatCount(udp.flood_dropped) })}{" "}
                    {udp.flooding_sources > 0 && t("lost.flooding", { n: formatCount(udp.flooding_sources) })}
                </p>
            )}
            {machine && <p class={css.foot}>{beforeText(machine, t)}</p>}
        </Card>
    );
}
