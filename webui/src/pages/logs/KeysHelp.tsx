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

/** The search language by example; firmware/query/README.md has all of it. */
const LANGUAGE: { examples: string[]; word: Key }[] = [
    { examples: ["link down"], word: "language.words" },
    { examples: ['"link down"'], word: "language.phrase" },
    { examples: ["fail*"], word: "language.part" },
    { examples: ["-debug", "a OR b"], word: "language.not" },
    { examples: ["hostname:fw-*"], word: "language.field" },
    { examples: ["severity:<=warning"], word: "language.severity" },
    { examples: ["source:192.0.2.0/24"], word: "language.source" },
    { examples: ["kv.action:deny"], word: "language.pair" },
    { examples: ["kv.bytes:>1000", "kv.port:1..1023"], word: "language.number" },
    { examples: ["kv.user:*", "-kv.user:*"], word: "language.present" },
    { examples: ["mark:clock_skew"], word: "language.mark" },
];

export function KeysHelp({ onClose }: { onClose: () => void }) {
    const { t } = useWords();
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => dialog.current?.showModal(), []);
    return (
        <dialog ref={dialog} class={css.dialog} aria-label={t("logs.help")} onClose={onClose}>
            <h2 tabIndex={-1} autofocus>
                {t("logs.language")}
            </h2>
            <dl class={css.language}>
                {LANGUAGE.map(({ examples, word }) => (
                    <div key={word}>
                        <dt>
                            {examples.map((text) => (
                                <code key={text}>{text}</code>
                            ))}
                        </dt>
                        <dd>{t(word)}</dd>
                    </div>
                ))}
            </dl>
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
