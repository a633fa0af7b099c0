import type { ComponentChildren } from "preact";
import type { JSX } from "preact";
import { Preferences } from "../../components/shell/Header";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import css from "./enter.module.css";

export function Frame({ title, children }: { title: string; children: ComponentChildren }) {
    const { t } = useWords();
    return (
        <main class={css.page}>
            <div class={css.top}>
                <Preferences />
            </div>
            <div class={css.panel}>
                <div class={css.brand}>
                    <img src="/favicon.svg" width="28" height="28" alt="" />
                    {t("app.product")}
                </div>
                <h1>{title}</h1>
                {children}
            </div>
        </main>
    );
}

interface FieldProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "onInput"> {
    id: string;
    label: string;
    help?: string;
    error?: string | undefined;
    onText: (text: string) => void;
    isCode?: boolean;
}

export function Field({ id, label, help, error, onText, isCode, ...input }: FieldProps) {
    const described = cx(help && `${id}-help`, error && `${id}-error`);
    return (
        <div class={css.field}>
            <label for={id}>{label}</label>
            <input
                {...input}
                id={id}
                class={isCode ? css.code : ""}
                aria-invalid={error ? "true" : undefined}
                aria-describedby={described || undefined}
                onInput={(e) => onText(e.currentTarget.value)}
            />
            {help && (
                <div id={`${id}-help`} class={css.help}>
                    {help}
                </div>
            )}
            {error && (
                <div id={`${id}-error`} class={css.error} role="alert">
                    {error}
                </div>
            )}
        </div>
    );
}
