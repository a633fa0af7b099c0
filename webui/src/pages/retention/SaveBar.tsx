import type { Preview } from "../../api/retention";
import formCss from "../../components/form.module.css";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import css from "./retention.module.css";
import { destroyedText } from "./texts";

interface Props {
    n: number;
    isWrong: boolean;
    isBusy: boolean;
    error: string | null;
    /** Of what would be saved; undefined while it is not known. */
    preview: Preview | undefined;
    said: "saved" | "undone" | null;
    mayUndo: boolean;
    onSave: () => void;
    onDiscard: () => void;
    onUndo: () => void;
}

/** Unsaved changes and what saving them destroys; after it, the way back. */
export function SaveBar({ n, isWrong, isBusy, error, preview, said, mayUndo, onSave, onDiscard, onUndo }: Props) {
    const { t } = useWords();
    if (n === 0 && !said && !mayUndo && !error) return null;
    const destroyed = preview ? destroyedText(preview, t) : null;
    return (
        <div class={css.saveBar} role="region" aria-label={t("ret.tab.rule")}>
            <span role="status">{n > 0 ? t("rule.unsaved", { n }) : said && t(said === "saved" ? "rule.saved" : "rule.undone")}</span>
            {error && (
                <span class={css.bad} role="alert">
                    {error}
                </span>
            )}
            {n > 0 && (
                <>
                    <button
                        type="button"
                        class={cx(ui.button, destroyed ? formCss.danger : ui.primary)}
                        disabled={isBusy || isWrong || !preview}
                        onClick={onSave}
                    >
                        {destroyed ? t("rule.saveDelete", { what: destroyed }) : t("rule.save")}
                    </button>
                    <button type="button" class={ui.button} disabled={isBusy} onClick={onDiscard}>
                        {t("rule.discard")}
                    </button>
                </>
            )}
            {mayUndo && (
                <button type="button" class={ui.button} disabled={isBusy} onClick={onUndo}>
                    {t("rule.undo")}
                </button>
            )}
        </div>
    );
}
