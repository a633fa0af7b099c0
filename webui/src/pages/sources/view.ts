/* What the page shows, from its URL.  Pure. */
import type { SourceListWish } from "../../api/sources";
import { SOURCE_ONLY, SOURCE_ORDERS } from "../../api/sources";
import { href } from "../../state/router";

export const TABS = ["sources", "settings", "rates"] as const;
export type TabName = (typeof TABS)[number];
/** Beside the tabs: one source, which is opened from the first. */
export type ViewName = TabName | "source";

/** Links from before there were tabs name a column, a field or a filter: they are of the rates. */
export function readView(params: URLSearchParams): ViewName {
    const tab = params.get("tab");
    if (tab === "source") return params.get("source") ? "source" : "sources";
    const known = TABS.find((name) => name === tab);
    if (known) return known;
    return ["by", "order", "filter"].some((name) => params.has(name)) ? "rates" : "sources";
}

export type ListView = Omit<SourceListWish, "limit">;

export function readList(params: URLSearchParams): ListView {
    return {
        order: SOURCE_ORDERS.find((o) => o === params.get("sort")) ?? "busiest",
        only: SOURCE_ONLY.find((o) => o === params.get("only")) ?? "all",
        filter: params.get("find") ?? "",
    };
}

/** The usual is left out. */
export function writeList({ order, only, filter }: ListView): Record<string, string> {
    return { ...(order === "busiest" ? {} : { sort: order }), ...(only === "all" ? {} : { only }), ...(filter ? { find: filter } : {}) };
}

export function sourceHref(address: string): string {
    return href("/sources", { tab: "source", source: address });
}

export function settingHref(network: string): string {
    return href("/sources", { tab: "settings", network });
}
