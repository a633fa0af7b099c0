import { useWords } from "../../i18n";
import { Field } from "./Field";
import { UPLOAD_MAX_BYTES } from "./wish";

interface Props {
    id: string;
    label: string;
    hint: string;
    value: string;
    problem: string;
    onText: (text: string) => void;
}

/** PEM, pasted or out of a file. */
export function PemField({ id, label, hint, value, problem, onText }: Props) {
    const { t } = useWords();
    const read = async (file: File | undefined) => {
        // one byte more than is allowed says that it is too large
        if (file) onText(await file.slice(0, UPLOAD_MAX_BYTES + 1).text());
    };
    return (
        <Field id={id} label={label} hint={hint} problem={problem}>
            <textarea
                id={id}
                rows={4}
                spellcheck={false}
                autocomplete="off"
                placeholder={"-----BEGIN …"}
                value={value}
                aria-invalid={problem ? "true" : undefined}
                aria-describedby={`${id}-hint`}
                onInput={(e) => onText(e.currentTarget.value)}
            />
            <input type="file" accept=".pem,.crt,.cer,.key" aria-label={t("upload.fromFile", { what: label })} onChange={(e) => void read(e.currentTarget.files?.[0])} />
        </Field>
    );
}
