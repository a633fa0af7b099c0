import type { ComponentChildren } from "preact";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./receiver.module.css";

export interface Fact {
    word: Key;
    value: ComponentChildren;
    isBad?: boolean;
}

/** Names and values. */
export function Facts({ facts }: { facts: Fact[] }) {
    const { t } = useWords();
    return (
        <dl class={css.live}>
            {facts.map(({ word, value, isBad }) => (
                <>
                    <dt>{t(word)}</dt>
                    <dd class={isBad ? css.bad : ""}>{value}</dd>
                </>
            ))}
        </dl>
    );
}

export interface Reasoned {
    key: string;
    n: number;
    word: Key;
    /** What it means, and what to do. */
    help: Key;
}

/** Why, how often, and a sentence each. */
export function ReasonsTable({ label, rows, heads }: { label: string; rows: Reasoned[]; heads: [why: Key, n: Key] }) {
    const { t } = useWords();
    return (
        <table class={cx(ui.table, css.reasons)} aria-label={label}>
            <thead>
                <tr>
                    <th scope="col">{t(heads[0])}</th>
                    <th scope="col" class={ui.num}>
                        {t(heads[1])}
                    </th>
                </tr>
            </thead>
            <tbody>
                {rows.map((row) => (
                    <tr key={row.key}>
                        <th scope="row">
                            {t(row.word)}
                            <div class="dim">{t(row.help)}</div>
                        </th>
                        <td class={cx(ui.num, css.bad)}>{formatCount(row.n)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
