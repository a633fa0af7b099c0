import { useWords, type Key } from "../../i18n";
import { Icon, type IconName } from "../Icon";
import css from "./shell.module.css";

/** `short` where the bar of a phone is too narrow for the word. */
export const PAGES: { path: string; word: Key; short?: Key; icon: IconName }[] = [
    { path: "/", word: "nav.dashboard", short: "nav.dashboardShort", icon: "dashboard" },
    { path: "/logs", word: "nav.logs", icon: "logs" },
    { path: "/sources", word: "nav.sources", icon: "sources" },
    { path: "/retention", word: "nav.retention", short: "nav.retentionShort", icon: "retention" },
    { path: "/receiver", word: "nav.receiver", icon: "receiver" },
    { path: "/benchmark", word: "nav.benchmark", short: "nav.benchmarkShort", icon: "benchmark" },
    { path: "/events", word: "nav.events", icon: "events" },
    { path: "/listeners", word: "nav.listeners", short: "nav.listenersShort", icon: "listeners" },
    { path: "/system", word: "nav.system", icon: "system" },
];

export function Nav({ path, isFolded, onFold }: { path: string; isFolded: boolean; onFold: () => void }) {
    const { t } = useWords();
    const fold = t(isFolded ? "nav.unfold" : "nav.fold");
    return (
        <nav class={css.nav} aria-label={t("nav.label")}>
            <ul>
                {PAGES.map((page) => (
                    <li key={page.path}>
                        <a
                            class={css.link}
                            href={page.path}
                            title={isFolded ? t(page.word) : undefined}
                            aria-current={path === page.path ? "page" : undefined}
                        >
                            <Icon name={page.icon} />
                            <span class={page.short && css.long}>{t(page.word)}</span>
                            {page.short && <span class={css.short}>{t(page.short)}</span>}
                        </a>
                    </li>
                ))}
            </ul>
            <button type="button" class={css.fold} title={fold} aria-label={fold} aria-expanded={!isFolded} onClick={onFold}>
                <Icon name={isFolded ? "unfold" : "fold"} />
            </button>
        </nav>
    );
}
