import { useEffect, useRef } from "preact/hooks";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import css from "./logs.module.css";

const KEYS: { keys: string[]; word: Key }[] = [
    { keys: ["/"], word: "keys.query" },
    { keys: ["j", "k"], word: "keys.move" },
    { keys: ["Enter"], word: "keys.open" },
    { keys: ["Esc"], word: "keys.close" },
    { keys: ["?"], word: "keys.help" },
];

export function KeysHelp({ onClose }: { onClose: () => void }) {
    const { t } = useWords();
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => dialog.current?.showModal(), []);
    return (
        <dialog ref={dialog} class={css.dialog} aria-label={t("logs.keys")} onClose={onClose}>
            <h2>{t("logs.keys")}</h2>
            <dl>
                {KEYS.map(({ keys, word }) => (
                    <div key={word}>
                        <dt>
                            {keys.map((key) => (
                                <kbd key={key}>{key}</kbd>
                            ))}
                        </dt>
                        <dd>{t(word)}</dd>
                    </div>
                ))}
            </dl>
            <form method="dialog">
                <button class={ui.button}>{t("action.close")}</button>
            </form>
        </dialog>
    );
}
