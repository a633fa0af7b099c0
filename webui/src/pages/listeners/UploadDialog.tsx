import { useState } from "preact/hooks";
import { installCertificate } from "../../api/tls";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { useWords, type Key } from "../../i18n";
import { useAct } from "../../state/useAct";
import { DialogFoot } from "./DialogFoot";
import { Field } from "./Field";
import { PemField } from "./PemField";
import { UPLOAD_MAX_BYTES, uploadOf, uploadProblems, type UploadDraft, type UploadKind, type UploadProblem } from "./wish";

const KIND: Record<UploadKind, Key> = { answer: "upload.answer", pem: "upload.pem", pkcs12: "upload.pkcs12" };
const WRONG: Record<UploadProblem, Key> = { pem: "upload.pemWrong", keyPem: "upload.keyWrong", pkcs12: "upload.pkcs12Wrong", size: "upload.tooLarge" };

/** A certificate from elsewhere; the receiver checks it before it is in force. */
export function UploadDialog({ hasPending, onDone, onClose }: { hasPending: boolean; onDone: () => void; onClose: () => void }) {
    const { t } = useWords();
    const [draft, setDraft] = useState<UploadDraft>({ kind: hasPending ? "answer" : "pem", pem: "", keyPem: "", password: "", pkcs12: null });
    const [isAsked, setAsked] = useState(false);
    const act = useAct();
    const problems = uploadProblems(draft);
    const kinds: UploadKind[] = hasPending ? ["answer", "pem", "pkcs12"] : ["pem", "pkcs12"];
    const set = (change: Partial<UploadDraft>) => {
        act.clear();
        setDraft({ ...draft, ...change });
    };
    const problem = (of: UploadProblem) => (isAsked && problems.includes(of) ? t(WRONG[of], { n: UPLOAD_MAX_BYTES / 1024 }) : "");
    const readFile = async (file: File | undefined) => {
        if (!file) return;
        set({ pkcs12: new Uint8Array(await file.slice(0, UPLOAD_MAX_BYTES + 1).arrayBuffer()) });
    };
    const send = async (e: Event) => {
        e.preventDefault();
        setAsked(true);
        if (problems.length > 0) return;
        if (await act.run(() => installCertificate(uploadOf(draft)))) {
            onDone();
            onClose();
        }
    };
    return (
        <Dialog title={t("upload.title")} onClose={onClose}>
            <form class={formCss.form} noValidate onSubmit={(e) => void send(e)}>
                <p>{t("upload.help")}</p>
                <fieldset class={formCss.choices}>
                    <legend>{t("upload.kind")}</legend>
                    {kinds.map((kind) => (
                        <label key={kind}>
                            <input type="radio" name="upload-kind" checked={draft.kind === kind} onChange={() => set({ kind })} /> {t(KIND[kind])}
                        </label>
                    ))}
                </fieldset>
                {draft.kind !== "pkcs12" && (
                    <PemField id="upload-pem" label={t("upload.certificate")} hint={t("upload.certificateHint")} value={draft.pem} problem={problem("pem") || problem("size")} onText={(pem) => set({ pem })} />
                )}
                {draft.kind === "pem" && (
                    <PemField id="upload-key" label={t("upload.key")} hint={t("upload.keyHint")} value={draft.keyPem} problem={problem("keyPem")} onText={(keyPem) => set({ keyPem })} />
                )}
                {draft.kind === "pkcs12" && (
                    <Field id="upload-file" label={t("upload.file")} hint={t("upload.fileHint")} problem={problem("pkcs12") || problem("size")}>
                        <input id="upload-file" type="file" accept=".p12,.pfx,application/x-pkcs12" aria-describedby="upload-file-hint" onChange={(e) => void readFile(e.currentTarget.files?.[0])} />
                    </Field>
                )}
                {draft.kind !== "answer" && (
                    <Field id="upload-password" label={t("upload.password")} hint={t("upload.passwordHint")}>
                        <input
                            id="upload-password"
                            type="password"
                            autocomplete="off"
                            value={draft.password}
                            aria-describedby="upload-password-hint"
                            onInput={(e) => set({ password: e.currentTarget.value })}
                        />
                    </Field>
                )}
                <DialogFoot act={act} button={t("upload.install")} onClose={onClose} />
            </form>
        </Dialog>
    );
}
