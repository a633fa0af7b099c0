import formCss from "../../components/form.module.css";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import type { Effect } from "./effects";
import css from "./listeners.module.css";

interface Props {
    label: string;
    n: number;
    effects: readonly Effect[];
    error: string | null;
    isBusy: boolean;
    isWrong: boolean;
    /** Names what is destroyed; undefined: nothing is. */
    danger?: string | undefined;
    said: "saved" | "undone" | null;
    mayUndo: boolean;
    onSave: () => void;
    onDiscard: () => void;
    onUndo: () => void;
}

/** Unsaved changes, and what saving them does; after it, the way back. */
export function ChangeBar(p: Props) {
    const { t } = useWords();
    if (p.n === 0 && !p.said && !p.mayUndo && !p.error) return null;
    return (
        <div class={css.bar} role="region" aria-label={p.label}>
            {p.n > 0 && p.effects.length > 0 && (
                <ul class={css.effects} aria-label={t("change.does")}>
                    {p.effects.map((e) => (
                        <li key={e.text} class={e.isWarning ? css.warn : ""}>
                            {e.text}
                        </li>
                    ))}
                </ul>
            )}
            {p.error && (
                <p class={formCss.error} role="alert">
                    {p.error}
                </p>
            )}
            <div class={css.barActs}>
                <span role="status">{p.n > 0 ? t("settings.unsaved", { n: p.n }) : p.said && t(p.said === "saved" ? "change.saved" : "change.undone")}</span>
                {p.n > 0 && (
                    <>
                        <button type="button" class={cx(ui.button, p.danger ? formCss.danger : ui.primary)} disabled={p.isBusy || p.isWrong} onClick={p.onSave}>
                            {p.danger ?? t("settings.save")}
                        </button>
                        <button type="button" class={ui.button} disabled={p.isBusy} onClick={p.onDiscard}>
                            {t("settings.discard")}
                        </button>
                    </>
                )}
                {p.mayUndo && (
                    <button type="button" class={ui.button} disabled={p.isBusy} onClick={p.onUndo}>
                        {t("change.undo")}
                    </button>
                )}
            </div>
        </div>
    );
}
