import { useState } from "preact/hooks";
import { postSession } from "../../api/endpoints";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import css from "./enter.module.css";
import { Field, Frame } from "./Frame";
import { useSend } from "./useSend";

export function LogIn({ ended }: { ended: boolean }) {
    const { t } = useWords();
    const [name, setName] = useState("");
    const [password, setPassword] = useState("");
    const { busy, error, waitS, submit } = useSend(() => postSession(name.trim(), password));
    let problem = error && error.status !== 429 ? (error.status === 401 ? t("login.wrong") : errorText(error, t)) : "";
    if (waitS > 0) problem = t("login.wait", { s: waitS });
    return (
        <Frame title={t("login.title")}>
            {ended && <p class={css.help}>{t("login.ended")}</p>}
            <form
                onSubmit={(e) => {
                    e.preventDefault();
                    void submit();
                }}
            >
                <Field id="name" name="username" label={t("login.name")} autocomplete="username" autocapitalize="none" autofocus required maxLength={64} value={name} onText={setName} />
                <Field
                    id="password"
                    name="password"
                    label={t("login.password")}
                    type="password"
                    autocomplete="current-password"
                    required
                    value={password}
                    onText={setPassword}
                    error={problem}
                />
                <button type="submit" class={cx(ui.button, ui.primary)} disabled={busy || waitS > 0}>
                    {t("login.submit")}
                </button>
            </form>
        </Frame>
    );
}

/** Before anything is known of the box: it does not answer, or its database is away. */
export function Connecting({ code, message }: { code: string; message: string }) {
    const { t } = useWords();
    const away = code === "database_away";
    return (
        <Frame title={t("login.waiting")}>
            <p role="status">
                {away ? t("error.database") : code === "unreachable" ? t("error.unreachable") : t("error.other", { message })}
            </p>
            {away && <p class={css.help}>{t("error.databaseHelp")}</p>}
        </Frame>
    );
}
