import { useState } from "preact/hooks";
import { makeCsr, makeSelfSigned, type Certificate } from "../../api/tls";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { useWords, type Key } from "../../i18n";
import { useAct } from "../../state/useAct";
import { DialogFoot } from "./DialogFoot";
import { Field } from "./Field";
import { subjectProblems, subjectWish, type SubjectDraft, type SubjectProblem } from "./wish";

interface Props {
    kind: "csr" | "self_signed";
    /** The one in force proposes its names. */
    certificate: Certificate | null;
    hasPending: boolean;
    onDone: () => void;
    onClose: () => void;
}

const WORDS = {
    csr: { title: "csr.title", help: "csr.help", button: "csr.make" },
    self_signed: { title: "selfSigned.title", help: "selfSigned.help", button: "selfSigned.make" },
} as const satisfies Record<string, { title: Key; help: Key; button: Key }>;

function first(certificate: Certificate | null): SubjectDraft {
    const names = certificate?.names.length ? certificate.names : [location.hostname.replace(/^\[|\]$/g, "")];
    return { commonName: names[0] ?? "", names: names.join("\n"), organization: "", country: "", key: "ec-p256" };
}

/** A new key, and a request to an authority or a certificate signed by itself. */
export function SubjectDialog({ kind, certificate, hasPending, onDone, onClose }: Props) {
    const { t } = useWords();
    const [draft, setDraft] = useState(first(certificate));
    const [isAsked, setAsked] = useState(false);
    const act = useAct();
    const words = WORDS[kind];
    const problems = subjectProblems(draft);
    const problem = (field: SubjectProblem, key: Key) => (isAsked && problems.includes(field) ? t(key) : "");
    const input = (field: "commonName" | "organization" | "country", isWrong: boolean, maxLength: number) => (
        <input
            id={`subject-${field}`}
            type="text"
            spellcheck={false}
            maxLength={maxLength}
            value={draft[field]}
            aria-invalid={isWrong ? "true" : undefined}
            aria-describedby={`subject-${field}-hint`}
            onInput={(e) => setDraft({ ...draft, [field]: e.currentTarget.value })}
        />
    );
    const wrong = { commonName: problem("commonName", "csr.nameWrong"), names: problem("names", "csr.namesWrong"), country: problem("country", "csr.countryWrong") };
    const send = async (e: Event) => {
        e.preventDefault();
        setAsked(true);
        if (problems.length > 0) return;
        const wish = subjectWish(draft);
        if (await act.run(() => (kind === "csr" ? makeCsr(wish) : makeSelfSigned(wish)))) {
            onDone();
            onClose();
        }
    };
    return (
        <Dialog title={t(words.title)} onClose={onClose}>
            <form class={formCss.form} noValidate onSubmit={(e) => void send(e)}>
                <p>{t(words.help)}</p>
                {kind === "csr" && hasPending && <p>{t("csr.replaces")}</p>}
                <Field id="subject-commonName" label={t("csr.commonName")} hint={t("csr.commonNameHint")} problem={wrong.commonName}>
                    {input("commonName", wrong.commonName !== "", 64)}
                </Field>
                <Field id="subject-names" label={t("csr.names")} hint={t("csr.namesHint")} problem={wrong.names}>
                    <textarea
                        id="subject-names"
                        rows={3}
                        spellcheck={false}
                        value={draft.names}
                        aria-describedby="subject-names-hint"
                        onInput={(e) => setDraft({ ...draft, names: e.currentTarget.value })}
                    />
                </Field>
                <div class={formCss.two}>
                    <Field id="subject-organization" label={t("csr.organization")} hint={t("csr.optional")}>
                        {input("organization", false, 64)}
                    </Field>
                    <Field id="subject-country" label={t("csr.country")} hint={t("csr.countryHint")} problem={wrong.country}>
                        {input("country", wrong.country !== "", 2)}
                    </Field>
                </div>
                <Field id="subject-key" label={t("csr.key")} hint={t("csr.keyHint")}>
                    <select id="subject-key" value={draft.key} onChange={(e) => setDraft({ ...draft, key: e.currentTarget.value === "rsa-3072" ? "rsa-3072" : "ec-p256" })}>
                        <option value="ec-p256">{"ECDSA P-256"}</option>
                        <option value="rsa-3072">{"RSA 3072"}</option>
                    </select>
                </Field>
                <DialogFoot act={act} button={t(words.button)} onClose={onClose} />
            </form>
        </Dialog>
    );
}
