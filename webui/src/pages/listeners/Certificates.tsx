import { getTls, putTlsAllowed, type Tls, type TlsAllowed, type TlsSender } from "../../api/tls";
import { Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useResource } from "../../state/useResource";
import { CertificateCard } from "./CertificateCard";
import { ClientCas } from "./ClientCas";
import css from "./listeners.module.css";
import { SettingsBar } from "./SettingsBar";
import { SettingsCard } from "./SettingsCard";
import { TlsAllowedCard } from "./TlsAllowedCard";
import { TlsSenders } from "./TlsSenders";
import { useListForm } from "./useListForm";
import { useSettingsForm } from "./useSettingsForm";
import type { View } from "./view";
import { allowedOf } from "./wish";

const EVERY_MS = 5000;
const SETTINGS = ["receiver.tls_clients", "receiver.tls_min_version"];

function Loaded({ view, tls, reload }: { view: View; tls: Tls; reload: () => void }) {
    const { t } = useWords();
    const settings = useSettingsForm(view);
    const allowed = useListForm<TlsAllowed>(
        { rows: tls.allowed, version: tls.allowed_version },
        async (rows, force, version) => (await putTlsAllowed(allowedOf(rows), force, version)).allowed_version,
        reload,
    );
    const isOff = view.listeners.listeners.some((l) => l.name === "tls" && l.wanted === "" && l.bound.length === 0);
    const isListed = (s: TlsSender) =>
        allowed.rows.some((r) => (r.kind === "name" ? r.value.toLowerCase() === s.name.toLowerCase() : r.value === s.fingerprint));
    return (
        <div class={css.narrow}>
            {isOff && (
                <p class={ui.note}>
                    {t("cert.off")} <a href="/listeners">{t("listen.tab.addresses")}</a>
                </p>
            )}
            <CertificateCard tls={tls} onDone={reload} />
            <section class={css.section}>
                <SettingsCard word="cert.settings" names={SETTINGS} form={settings} isAdmin={view.isAdmin} />
                <SettingsBar view={view} form={settings} />
            </section>
            <ClientCas cas={tls.client_cas} clients={settings.text("receiver.tls_clients")} onDone={reload} />
            <TlsAllowedCard tls={tls} form={allowed} />
            <TlsSenders senders={tls.senders} isListed={isListed} onAllow={(s) => allowed.set([...allowed.rows, { kind: "name", value: s.name, note: "" }])} />
        </div>
    );
}

/** Certificates of the box and of its senders. */
export function Certificates({ view }: { view: View }) {
    const { t } = useWords();
    const tls = useResource(view.isAdmin ? "tls" : null, getTls, EVERY_MS);
    if (!view.isAdmin) return <p class={ui.note}>{t("cert.adminOnly")}</p>;
    if (tls.data) return <Loaded view={view} tls={tls.data} reload={tls.reload} />;
    return tls.error ? <Failed error={tls.error} retry={tls.reload} /> : <Skeleton heights={[240, 120, 120]} />;
}
