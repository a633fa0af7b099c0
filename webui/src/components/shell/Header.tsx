import type { Session } from "../../api/types";
import { useWords, type Key } from "../../i18n";
import { live } from "../../state/live";
import { month, sharesOf } from "../../state/month";
import { setLanguage, setTheme, theme, THEMES, type Theme } from "../../state/prefs";
import { useStore } from "../../state/store";
import { cx } from "../../utils/cx";
import { formatRate, formatShort } from "../../utils/format";
import { Icon } from "../Icon";
import { Spark } from "../Spark";
import css from "./shell.module.css";

const THEME_WORD: Record<Theme, Key> = { auto: "theme.auto", light: "theme.light", dark: "theme.dark" };

export function Figures() {
    const { t } = useWords();
    const { rate, history, lost } = useStore(live);
    const sum = lost ? lost.refused + lost.dropped : null;
    const { data } = useStore(month);
    const shares = data ? sharesOf(data) : null;
    const share = { n: shares?.used ?? "", of: shares?.budget ?? "" };
    return (
        <div class={css.figures}>
            <a class={css.figure} href="/" title={t("head.rateTitle")}>
                <span>{t("head.rate", { n: rate === null ? "–" : formatRate(rate) })}</span>
                <Spark values={history} class={css.spark} />
            </a>
            <a class={cx(css.figure, sum ? css.bad : false)} href="/receiver" title={t("head.lostTitle")}>
                {t("head.lost", { n: sum === null ? "–" : formatShort(sum) })}
            </a>
            <a class={cx(css.figure, shares?.tone === "bad" && css.bad, shares?.tone === "warn" && css.warn)} href="/retention" title={t("head.monthTitle")}>
                <span class={css.wide}>{t(shares ? "head.month" : "head.monthUnknown", share)}</span>
                <span class={css.narrow}>{t(shares ? "head.monthShort" : "head.monthUnknown", share)}</span>
            </a>
        </div>
    );
}

export function Preferences() {
    const { t, lang } = useWords();
    const chosen = useStore(theme);
    const next = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length] ?? "auto";
    const label = t("head.theme", { name: t(THEME_WORD[chosen]) });
    return (
        <>
            <button type="button" class={css.control} title={label} aria-label={label} onClick={() => setTheme(next)}>
                <Icon name={chosen} />
            </button>
            <button
                type="button"
                class={css.control}
                lang={lang === "en" ? "ja" : "en"}
                title={t("head.languageTitle")}
                onClick={() => setLanguage(lang === "en" ? "ja" : "en")}
            >
                <span class={css.wide}>{t("head.language")}</span>
                <span class={css.narrow}>{t("head.languageShort")}</span>
            </button>
        </>
    );
}

export function Header({ session }: { session: Session }) {
    const { t } = useWords();
    const account = t("head.account", { name: session.name });
    return (
        <header class={css.header}>
            <a class={css.brand} href="/">
                <img src="/favicon.svg" width="24" height="24" alt={t("nav.dashboard")} />
                <span class={css.product}>{t("app.product")}</span>
            </a>
            <span class={css.box}>{session.box.name}</span>
            <Figures />
            <div class={css.controls}>
                <Preferences />
                <a class={css.control} href="/system#account" title={account} aria-label={account}>
                    <Icon name="user" />
                    <span class={css.name}>{session.name}</span>
                </a>
            </div>
        </header>
    );
}
