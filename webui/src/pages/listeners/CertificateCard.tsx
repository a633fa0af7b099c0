import { useState } from "preact/hooks";
import { CSR_URL, type Tls } from "../../api/tls";
import { Copy } from "../../components/Copy";
import { Card, Moment } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { saveBlob } from "../../utils/save";
import css from "./listeners.module.css";
import { SubjectDialog } from "./SubjectDialog";
import { UploadDialog } from "./UploadDialog";
import { Validity } from "./Validity";

type Open = "csr" | "self_signed" | "upload" | null;

function InForce({ tls }: { tls: Tls }) {
    const { t } = useWords();
    const { certificate: c } = tls;
    if (!c) return <p>{t("cert.none")}</p>;
    return (
        <>
            <Validity of={c} />
            {c.is_self_signed && <p class={css.warnText}>{t("cert.selfSigned")}</p>}
            <dl class={css.facts}>
                <dt>{t("cert.names")}</dt>
                <dd>{c.names.join(", ") || "–"}</dd>
                <dt>{t("cert.subject")}</dt>
                <dd>{c.subject}</dd>
                <dt>{t("cert.issuer")}</dt>
                <dd>{c.issuer}</dd>
                <dt>{t("cert.key")}</dt>
                <dd>{c.key}</dd>
                <dt>{t("cert.fingerprint")}</dt>
                <dd class="mono">{c.fingerprint}</dd>
            </dl>
            <div class={ui.actions}>
                <Copy text={c.fingerprint} label={t("cert.copyFingerprint")} />
                <button type="button" class={cx(ui.button, ui.small)} onClick={() => saveBlob(new Blob([c.pem], { type: "application/x-pem-file" }), "azekura.pem")}>
                    {t("cert.download")}
                </button>
            </div>
        </>
    );
}

/** What the box shows to senders, and how it gets another one. */
export function CertificateCard({ tls, onDone }: { tls: Tls; onDone: () => void }) {
    const { t } = useWords();
    const [open, setOpen] = useState<Open>(null);
    const [isDone, setDone] = useState(false);
    const { pending_csr: csr } = tls;
    const show = (what: Open) => {
        setDone(false);
        setOpen(what);
    };
    const done = () => {
        setDone(true);
        onDone();
    };
    return (
        <>
            <Card title={t("cert.title")} aside={<span role="status">{isDone && t("cert.done")}</span>}>
                <div class={css.body}>
                    <InForce tls={tls} />
                    <div class={ui.actions}>
                        <button type="button" class={ui.button} onClick={() => show("csr")}>
                            {t("cert.request")}
                        </button>
                        <button type="button" class={ui.button} onClick={() => show("upload")}>
                            {t("cert.upload")}
                        </button>
                        <button type="button" class={ui.button} onClick={() => show("self_signed")}>
                            {t("cert.makeSelfSigned")}
                        </button>
                    </div>
                </div>
            </Card>
            {csr && (
                <Card title={t("csr.pending")}>
                    <div class={css.body}>
                        <p>{t("csr.pendingHelp")}</p>
                        <dl class={css.facts}>
                            <dt>{t("cert.subject")}</dt>
                            <dd>{csr.subject}</dd>
                            <dt>{t("cert.names")}</dt>
                            <dd>{csr.names.join(", ")}</dd>
                            <dt>{t("cert.key")}</dt>
                            <dd>{csr.key}</dd>
                            <dt>{t("csr.made")}</dt>
                            <dd>
                                <Moment at={csr.made_at} />
                            </dd>
                        </dl>
                        <div class={ui.actions}>
                            <a class={ui.button} href={CSR_URL} download="azekura.csr">
                                {t("csr.download")}
                            </a>
                            <Copy text={csr.pem} label={t("csr.copy")} />
                            <button type="button" class={cx(ui.button, ui.primary)} onClick={() => show("upload")}>
                                {t("csr.answer")}
                            </button>
                        </div>
                    </div>
                </Card>
            )}
            {(open === "csr" || open === "self_signed") && (
                <SubjectDialog kind={open} certificate={tls.certificate} hasPending={csr !== null} onDone={done} onClose={() => setOpen(null)} />
            )}
            {open === "upload" && <UploadDialog hasPending={csr !== null} onDone={done} onClose={() => setOpen(null)} />}
        </>
    );
}
