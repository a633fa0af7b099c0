import { useMemo } from "preact/hooks";
import { getRetention } from "../../api/retention";
import type { Session } from "../../api/types";
import { Age, Failed, Skeleton } from "../../components/States";
import { Tabs } from "../../components/Tabs";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { href, useRoute } from "../../state/router";
import { useResource } from "../../state/useResource";
import { dayAt } from "../../utils/days";
import { ClockBanner } from "./ClockBanner";
import { Groups } from "./Groups";
import { Kept } from "./Kept";
import { Overview } from "./Overview";
import { Rule } from "./Rule";
import { SizeAndCost } from "./SizeAndCost";
import type { Reader } from "./texts";
import type { View } from "./view";

const EVERY_MS = 10_000;
const TABS = ["overview", "rule", "groups", "kept", "size"] as const;
type TabName = (typeof TABS)[number];
const WORD: Record<TabName, Key> = {
    overview: "ret.tab.overview",
    rule: "ret.tab.rule",
    groups: "ret.tab.groups",
    kept: "ret.tab.kept",
    size: "ret.tab.size",
};

function Part({ tab, view }: { tab: TabName; view: View }) {
    switch (tab) {
        case "overview":
            return <Overview view={view} />;
        case "rule":
            return <Rule view={view} />;
        case "groups":
            return <Groups view={view} />;
        case "kept":
            return <Kept view={view} />;
        case "size":
            return <SizeAndCost view={view} />;
    }
}

export function RetentionPage({ session }: { session: Session }) {
    const { t, lang } = useWords();
    const { path, params } = useRoute();
    const { data, error, at, reload } = useResource("retention", getRetention, EVERY_MS);
    const tab = TABS.find((name) => name === params.get("tab")) ?? "overview";
    const today = data ? dayAt(data.at, data.zone) : "";
    const hasGroups = data ? data.groups.length > 1 : false;
    const reader: Reader = useMemo(() => ({ t, lang, today, hasGroups }), [t, lang, today, hasGroups]);
    const mayChange = session.role !== "viewer";
    const mayDelete = session.role === "admin";
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("ret.title")}</h1>
                <Age at={at} staleMs={EVERY_MS * 3} />
            </div>
            <Tabs
                label={t("ret.title")}
                chosen={tab}
                tabs={TABS.map((key) => ({ key, label: t(WORD[key]), href: href(path, key === "overview" ? {} : { tab: key }) }))}
            />
            {error && !data && <Failed error={error} retry={reload} />}
            {!data && !error && <Skeleton heights={[96, 140, 240, 320]} />}
            {data && (
                <>
                    <ClockBanner clock={data.clock} mayConfirm={mayDelete} onDone={reload} />
                    <Part tab={tab} view={{ data, reader, mayChange, mayDelete, reload }} />
                </>
            )}
        </>
    );
}
