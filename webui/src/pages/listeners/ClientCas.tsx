import { useState } from "preact/hooks";
import { addClientCa, removeClientCa, type ClientCa } from "../../api/tls";
import { Ask } from "../../components/Ask";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { DialogFoot } from "./DialogFoot";
import css from "./listeners.module.css";
import { PemField } from "./PemField";
import { Validity } from "./Validity";
import { UPLOAD_MAX_BYTES } from "./wish";

function AddDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
    const { t } = useWords();
    const [pem, setPem] = useState("");
    const [isAsked, setAsked] = useState(false);
    const act = useAct();
    const isMissing = !pem.includes("-----BEGIN CERTIFICATE-----");
    const isTooLarge = pem.length > UPLOAD_MAX_BYTES;
    const problem = isMissing ? t("upload.pemWrong") : isTooLarge ? t("upload.tooLarge", { n: UPLOAD_MAX_BYTES / 1024 }) : "";
    const send = async (e: Event) => {
        e.preventDefault();
        setAsked(true);
        if (problem) return;
        if (await act.run(() => addClientCa(pem))) {
            onDone();
            onClose();
        }
    };
    return (
        <Dialog title={t("ca.add")} onClose={onClose}>
            <form class={formCss.form} noValidate onSubmit={(e) => void send(e)}>
                <p>{t("ca.addHelp")}</p>
                <PemField id="ca-pem" label={t("ca.pem")} hint={t("ca.pemHint")} value={pem} problem={isAsked ? problem : ""} onText={setPem} />
                <DialogFoot act={act} button={t("ca.addButton")} onClose={onClose} />
            </form>
        </Dialog>
    );
}

/** Authorities whose certificates senders may show. */
export function ClientCas({ cas, clients, onDone }: { cas: readonly ClientCa[]; clients: string; onDone: () => void }) {
    const { t } = useWords();
    const [isAdding, setAdding] = useState(false);
    const [removed, setRemoved] = useState<ClientCa | null>(null);
    return (
        <Card
            title={t("ca.title")}
            aside={
                <button type="button" class={cx(ui.button, ui.small)} onClick={() => setAdding(true)}>
                    {t("ca.add")}
                </button>
            }
        >
            {cas.length === 0 ? (
                <p class={css.body}>{t(clients === "required" ? "ca.noneRequired" : "ca.none")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("ca.title")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("cert.subject")}</th>
                                <th scope="col">{t("ca.validity")}</th>
                                <th scope="col">{t("cert.fingerprint")}</th>
                                <td />
                            </tr>
                        </thead>
                        <tbody>
                            {cas.map((ca) => (
                                <tr key={ca.fingerprint}>
                                    <th scope="row">{ca.subject}</th>
                                    <td>
                                        <Validity of={ca} />
                                    </td>
                                    <td class={cx("mono", css.fingerprint)} title={ca.fingerprint}>
                                        {ca.fingerprint}
                                    </td>
                                    <td>
                                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => setRemoved(ca)}>
                                            {t("list.remove")} <span class="visually-hidden">{ca.subject}</span>
                                        </button>
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            {isAdding && <AddDialog onDone={onDone} onClose={() => setAdding(false)} />}
            {removed && (
                <Ask
                    title={t("ca.removeTitle", { name: removed.subject })}
                    help={t("ca.removeHelp")}
                    button={t("ca.remove")}
                    act={() => removeClientCa(removed.fingerprint)}
                    onDone={onDone}
                    onClose={() => setRemoved(null)}
                />
            )}
        </Card>
    );
}
