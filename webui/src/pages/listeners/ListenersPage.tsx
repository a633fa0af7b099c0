import { useState } from "preact/hooks";
import { getSettings } from "../../api/endpoints";
import { getListeners } from "../../api/listeners";
import type { Session, Setting } from "../../api/types";
import { Age, Failed, Skeleton } from "../../components/States";
import { Tabs } from "../../components/Tabs";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { href, useRoute } from "../../state/router";
import { useResource } from "../../state/useResource";
import { Addresses } from "./Addresses";
import { Certificates } from "./Certificates";
import { Devices } from "./Devices";
import { Senders } from "./Senders";
import type { View } from "./view";

const EVERY_MS = 2000;
const TABS = ["addresses", "senders", "tls", "devices"] as const;
type TabName = (typeof TABS)[number];
const WORD: Record<TabName, Key> = { addresses: "listen.tab.addresses", senders: "listen.tab.senders", tls: "listen.tab.tls", devices: "listen.tab.devices" };

function Part({ tab, view }: { tab: TabName; view: View }) {
    switch (tab) {
        case "addresses":
            return <Addresses view={view} />;
        case "senders":
            return <Senders view={view} />;
        case "tls":
            return <Certificates view={view} />;
        case "devices":
            return <Devices listeners={view.listeners} />;
    }
}

export function ListenersPage({ session }: { session: Session }) {
    const { t } = useWords();
    const { path, params } = useRoute();
    const tab = TABS.find((name) => name === params.get("tab")) ?? "addresses";
    const listeners = useResource("listeners", getListeners, EVERY_MS);
    const asked = useResource("listeners settings", getSettings);
    const [saved, setSaved] = useState<Setting[] | null>(null);
    const settings = saved ?? asked.data;
    const error = listeners.error ?? asked.error;
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.listeners")}</h1>
                <Age at={listeners.at} staleMs={EVERY_MS * 4} />
                <a href="/receiver">{t("listen.toReceiver")}</a>
            </div>
            <Tabs
                label={t("nav.listeners")}
                chosen={tab}
                tabs={TABS.map((key) => ({ key, label: t(WORD[key]), href: href(path, key === "addresses" ? {} : { tab: key }) }))}
            />
            {error && !(listeners.data && settings) && <Failed error={error} retry={listeners.reload} />}
            {!(listeners.data && settings) && !error && <Skeleton heights={[180, 180, 240]} />}
            {listeners.data && settings && (
                <Part
                    tab={tab}
                    view={{ listeners: listeners.data, settings, isAdmin: session.role === "admin", reload: listeners.reload, onSettings: setSaved }}
                />
            )}
        </>
    );
}
