import { useEffect, useRef } from "preact/hooks";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { visible } from "../../utils/bytes";
import { copyText } from "../../utils/clipboard";
import { cx } from "../../utils/cx";
import type { Hit } from "./LineList";
import css from "./logs.module.css";

interface Props {
    hit: Hit;
    onOnly: (field: string, value: string) => void;
    onNot: (field: string, value: string) => void;
    onAround: () => void;
    onClose: () => void;
}

const WIDTH = 208;
const HEIGHT = 168;

/** What can be done with a value that was clicked. */
export function ValueMenu({ hit, onOnly, onNot, onAround, onClose }: Props) {
    const { t } = useWords();
    const box = useRef<HTMLDivElement>(null);
    const { field, value, x, y } = hit;
    const shown = visible(value);

    useEffect(() => {
        box.current?.querySelector("button")?.focus();
        const outside = (e: MouseEvent) => {
            if (!box.current?.contains(e.target as Node)) onClose();
        };
        addEventListener("pointerdown", outside);
        addEventListener("resize", onClose);
        return () => {
            removeEventListener("pointerdown", outside);
            removeEventListener("resize", onClose);
        };
    }, [hit, onClose]);

    const move = (e: KeyboardEvent) => {
        if (e.key === "Escape") onClose();
        const by = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
        if (by === 0) return;
        e.preventDefault();
        const buttons = [...(box.current?.querySelectorAll("button") ?? [])];
        const at = buttons.findIndex((b) => b === document.activeElement);
        buttons[(at + by + buttons.length) % buttons.length]?.focus();
    };
    const item = (word: string, act: () => void) => (
        <button
            type="button"
            role="menuitem"
            class={cx(ui.button, ui.bare, css.menuItem)}
            onClick={() => {
                act();
                onClose();
            }}
        >
            {word}
        </button>
    );
    const place = { left: `${Math.max(8, Math.min(x, innerWidth - WIDTH - 8))}px`, top: `${Math.min(y, innerHeight - HEIGHT - 8)}px` };
    return (
        <div ref={box} role="menu" class={css.valueMenu} style={place} aria-label={t("line.actions", { field, value: shown })} onKeyDown={move}>
            <div class={css.menuValue} role="presentation">
                {field}: <b>{shown}</b>
            </div>
            {item(t("line.only"), () => onOnly(field, value))}
            {item(t("line.not"), () => onNot(field, value))}
            {item(t("line.around"), onAround)}
            {item(t("line.copy"), () => void copyText(value))}
        </div>
    );
}
