import type { ComponentChildren } from "preact";
import type { Counts, Reason } from "../../api/types";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount } from "../../utils/format";
import css from "./receiver.module.css";

export const REASON_WORD: Record<Reason, Key> = {
    not_allowed: "reason.not_allowed",
    rate_limit: "reason.rate_limit",
    oversize: "reason.oversize",
    bad_frame: "reason.bad_frame",
    over_budget: "reason.over_budget",
    queue_full: "reason.queue_full",
    crash: "reason.crash",
    rejected: "reason.rejected",
};
export const REASONS = Object.keys(REASON_WORD) as Reason[];
/** Where the name alone does not say enough. */
const REASON_HELP: Partial<Record<Reason, Key>> = { rejected: "reason.rejectedHelp" };

export interface CountsRow {
    key: string;
    head: ComponentChildren;
    counts: Counts;
    /** Only a listener knows what the kernel dropped. */
    dropped?: number;
}

/** The ledger's columns; a reason has one once it refused anything. */
export function CountsTable({ heads, rows, withDropped = false }: { heads: string[]; rows: CountsRow[]; withDropped?: boolean }) {
    const { t } = useWords();
    const reasons = REASONS.filter((r) => rows.some((row) => row.counts.reasons[r] > 0));
    const cut = rows.some((row) => row.counts.truncated > 0);
    const number = (n: number, bad: boolean) => <td class={cx(ui.num, bad && n > 0 && css.bad)}>{formatCount(n)}</td>;
    return (
        <div class={ui.scroll} tabIndex={0} role="group" aria-label={heads.join(" ")}>
            <table class={ui.table}>
                <thead>
                    <tr>
                        {heads.map((head) => (
                            <th key={head} scope="col">
                                {head}
                            </th>
                        ))}
                        <th scope="col" class={ui.num}>
                            {t("ledger.arrived")}
                        </th>
                        <th scope="col" class={ui.num}>
                            {t("ledger.stored")}
                        </th>
                        <th scope="col" class={ui.num}>
                            {t("ledger.refused")}
                        </th>
                        {reasons.map((r) => (
                            <th key={r} scope="col" class={ui.num} title={REASON_HELP[r] && t(REASON_HELP[r])}>
                                {t(REASON_WORD[r])}
                            </th>
                        ))}
                        {withDropped && (
                            <th scope="col" class={ui.num} title={t("ledger.kernelHelp")}>
                                {t("ledger.kernel")}
                            </th>
                        )}
                        {cut && (
                            <th scope="col" class={ui.num}>
                                {t("ledger.truncated")}
                            </th>
                        )}
                        <th scope="col" class={ui.num}>
                            {t("ledger.bytes")}
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map(({ key, head, counts, dropped = 0 }) => (
                        <tr key={key}>
                            {head}
                            {number(counts.arrived, false)}
                            {number(counts.stored, false)}
                            {number(counts.refused, true)}
                            {reasons.map((r) => number(counts.reasons[r], true))}
                            {withDropped && number(dropped, true)}
                            {cut && number(counts.truncated, false)}
                            <td class={ui.num}>{formatBytes(counts.bytes)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
