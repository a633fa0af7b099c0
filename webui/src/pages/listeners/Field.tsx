import type { ComponentChildren } from "preact";
import formCss from "../../components/form.module.css";

interface Props {
    id: string;
    label: string;
    hint: string;
    problem?: string;
    children: ComponentChildren;
}

/** A field of a dialog: its name, itself, and what it wants or what is wrong. */
export function Field({ id, label, hint, problem = "", children }: Props) {
    return (
        <div class={formCss.field}>
            <label for={id}>{label}</label>
            {children}
            <span id={`${id}-hint`} class={problem ? formCss.error : formCss.hint} role={problem ? "alert" : undefined}>
                {problem || hint}
            </span>
        </div>
    );
}
