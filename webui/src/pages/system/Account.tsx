import { useState } from "preact/hooks";
import { endSession, type ApiError } from "../../api/client";
import type { Role, Session } from "../../api/types";
import { Card, Failed } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { setLanguage, setTheme, theme, THEMES, type Theme } from "../../state/prefs";
import { leave } from "../../state/session";
import { useStore } from "../../state/store";
import { asApiError } from "../../state/useResource";
import css from "./system.module.css";

const ROLE: Record<Role, Key> = { admin: "role.admin", operator: "role.operator", viewer: "role.viewer" };
const THEME: Record<Theme, Key> = { auto: "theme.auto", light: "theme.light", dark: "theme.dark" };

export function Account({ session }: { session: Session }) {
    const { t, lang } = useWords();
    const chosen = useStore(theme);
    const [error, setError] = useState<ApiError | null>(null);
    const logOut = async () => {
        try {
            await endSession();
            leave();
        } catch (cause) {
            const failed = asApiError(cause);
            if (failed.status === 401) leave();
            else setError(failed);
        }
    };
    return (
        <div id="account">
            <Card title={t("account.title")}>
                <dl class={css.account}>
                    <dt>{t("account.name")}</dt>
                    <dd>{session.name}</dd>
                    <dt>{t("account.role")}</dt>
                    <dd>{t(ROLE[session.role])}</dd>
                    <dt id="account-language">{t("account.language")}</dt>
                    <dd>
                        <select
                            aria-labelledby="account-language"
                            value={lang}
                            onChange={(e) => setLanguage(e.currentTarget.value === "ja" ? "ja" : "en")}
                        >
                            <option value="en" lang="en">
                                {"English"}
                            </option>
                            <option value="ja" lang="ja">
                                {"日本語"}
                            </option>
                        </select>
                    </dd>
                    <dt id="account-theme">{t("account.theme")}</dt>
                    <dd>
                        <select
                            aria-labelledby="account-theme"
                            value={chosen}
                            onChange={(e) => setTheme(THEMES.find((x) => x === e.currentTarget.value) ?? "auto")}
                        >
                            {THEMES.map((x) => (
                                <option key={x} value={x}>
                                    {t(THEME[x])}
                                </option>
                            ))}
                        </select>
                    </dd>
                </dl>
                <div class={css.foot}>
                    <button type="button" class={ui.button} onClick={() => void logOut()}>
                        {t("account.logout")}
                    </button>
                </div>
                {error && <Failed error={error} />}
            </Card>
        </div>
    );
}
