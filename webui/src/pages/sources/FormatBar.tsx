import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { formatShares, shareText } from "./health";
import css from "./list.module.css";

/** In the order of their share; what nothing was understood of is grey wherever it stands. */
const TONES = [css.tone0, css.tone1, css.tone2, css.tone3, css.tone4];

/** The share of each form a source's messages have: a bar, and the same in words. */
export function FormatBar({ formats, isLarge = false }: { formats: Record<string, number>; isLarge?: boolean }) {
    const { t } = useWords();
    const { rows, others } = formatShares(formats, isLarge ? 12 : 4);
    const total = Object.values(formats).reduce((sum, n) => sum + n, 0);
    const parts = [...rows, ...(others ? [others] : [])].map((row, i) => ({
        ...row,
        label: row.name || t("src.formats.others"),
        tone: row.name === "raw" || row.name === "" ? css.toneRaw : TONES[i % TONES.length],
    }));
    if (total === 0) return <span class="dim">{"–"}</span>;
    const text = parts.map((p) => `${p.label} ${shareText(p.n, total)}`).join(", ");
    return (
        <span class={cx(css.formats, isLarge && css.large)}>
            <span class={css.bar} title={text} aria-hidden="true">
                {parts.map((p) => (
                    <span key={p.label} class={p.tone} style={{ flexGrow: p.share }} />
                ))}
            </span>
            {isLarge ? (
                <ul class={css.legend}>
                    {parts.map((p) => (
                        <li key={p.label}>
                            <span class={cx(css.swatch, p.tone)} aria-hidden="true" />
                            <span class="mono">{p.label}</span>
                            {` ${shareText(p.n, total)} `}
                            <span class="dim">{t("src.formats.messages", { n: formatCount(p.n) })}</span>
                        </li>
                    ))}
                </ul>
            ) : (
                <span class={css.most} title={text}>
                    {parts[0] && `${parts[0].label} ${shareText(parts[0].n, total)}`}
                </span>
            )}
        </span>
    );
}
