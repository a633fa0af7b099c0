import { cx } from "../utils/cx";
import css from "./Tabs.module.css";

export interface Tab {
    key: string;
    label: string;
    href: string;
}

/** Parts of a page, each with its own URL: links, not buttons. */
export function Tabs({ label, tabs, chosen }: { label: string; tabs: Tab[]; chosen: string }) {
    return (
        <nav class={css.tabs} aria-label={label}>
            {tabs.map((tab) => (
                <a
                    key={tab.key}
                    class={cx(css.tab, tab.key === chosen && css.chosen)}
                    href={tab.href}
                    aria-current={tab.key === chosen ? "page" : undefined}
                >
                    {tab.label}
                </a>
            ))}
        </nav>
    );
}
