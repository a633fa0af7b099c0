import type { Source } from "../../api/types";
import { Icon } from "../../components/Icon";
import { useWords } from "../../i18n";
import { signsOf } from "./health";
import css from "./list.module.css";

/** What is wrong with how a source's messages are read, in words; or that nothing is. */
export function Signs({ source }: { source: Pick<Source, "health" | "charset"> }) {
    const { t } = useWords();
    const { health, charset } = source;
    if (!health) return <span class="dim">{t("src.sign.unknown")}</span>;
    const signs = signsOf(health, charset);
    if (signs.length === 0) {
        return (
            <span class={css.good}>
                <Icon name="check" />
                {t("src.sign.good")}
            </span>
        );
    }
    return (
        <span class={css.signs}>
            {signs.map((sign) => (
                <span key={sign.word} class={css.sign} title={t(sign.help)}>
                    {t(sign.word, sign.values)}
                </span>
            ))}
        </span>
    );
}
