import { useState } from "preact/hooks";
import { useWords } from "../i18n";
import { copyText } from "../utils/clipboard";
import { cx } from "../utils/cx";
import { Icon } from "./Icon";
import ui from "./ui.module.css";

export function Copy({ text, label }: { text: string; label?: string }) {
    const { t } = useWords();
    const [done, setDone] = useState(false);
    const copy = async () => {
        if (!(await copyText(text))) return;
        setDone(true);
        setTimeout(() => setDone(false), 1500);
    };
    return (
        <button type="button" class={cx(ui.button, ui.small)} onClick={() => void copy()}>
            <Icon name={done ? "check" : "copy"} />
            <span aria-live="polite">{done ? t("action.copied") : (label ?? t("action.copy"))}</span>
        </button>
    );
}
