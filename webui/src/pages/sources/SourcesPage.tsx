import type { Session } from "../../api/types";
import { Tabs } from "../../components/Tabs";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { href, useRoute } from "../../state/router";
import { Rates } from "./Rates";
import { SettingsTab } from "./SettingsTab";
import { SourceList } from "./SourceList";
import { SourceView } from "./SourceView";
import { readView, TABS, type TabName } from "./view";

const WORD: Record<TabName, Key> = { sources: "src.tab.sources", settings: "src.tab.settings", rates: "src.tab.rates" };

/** Who sends, what is said of them, and how much each sends. */
export function SourcesPage({ session }: { session: Session }) {
    const { t } = useWords();
    const { path, params } = useRoute();
    const view = readView(params);
    const mayChange = session.role === "admin" || session.role === "operator";
    const address = params.get("source") ?? "";
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.sources")}</h1>
            </div>
            <Tabs
                label={t("nav.sources")}
                chosen={view === "source" ? "sources" : view}
                tabs={TABS.map((key) => ({ key, label: t(WORD[key]), href: href(path, key === "sources" ? {} : { tab: key }) }))}
            />
            {view === "sources" && <SourceList mayChange={mayChange} />}
            {view === "source" && <SourceView key={address} address={address} mayChange={mayChange} />}
            {view === "settings" && <SettingsTab mayChange={mayChange} />}
            {view === "rates" && <Rates />}
        </>
    );
}
