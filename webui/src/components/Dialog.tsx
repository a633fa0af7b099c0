import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import css from "./Dialog.module.css";

/** A modal question.  Escape closes it, unless something is under way that cannot be taken back. */
export function Dialog({ title, onClose, isBusy = false, children }: { title: string; onClose: () => void; isBusy?: boolean; children: ComponentChildren }) {
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => {
        const opener = document.activeElement;
        dialog.current?.showModal();
        return () => {
            if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
        };
    }, []);
    return (
        <dialog ref={dialog} class={css.dialog} aria-label={title} onCancel={(e) => isBusy && e.preventDefault()} onClose={onClose}>
            <h2>{title}</h2>
            {children}
        </dialog>
    );
}
