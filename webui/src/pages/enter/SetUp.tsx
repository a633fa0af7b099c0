import { useState } from "preact/hooks";
import { postSetup } from "../../api/endpoints";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { openGate } from "../../state/session";
import { cx } from "../../utils/cx";
import css from "./enter.module.css";
import { Field, Frame } from "./Frame";
import { useSend } from "./useSend";

const PASSWORD_MIN_BYTES = 10;

export function SetUp() {
    const { t } = useWords();
    const [code, setCode] = useState("");
    const [name, setName] = useState("");
    const [password, setPassword] = useState("");
    const [repeat, setRepeat] = useState("");
    const [local, setLocal] = useState({ password: "", repeat: "" });
    const { busy, error, waitS, submit } = useSend(() => postSetup(code.trim(), name.trim(), password));

    const send = () => {
        const bytes = new TextEncoder().encode(password).length;
        const wrong = {
            password: bytes < PASSWORD_MIN_BYTES ? t("setup.short", { n: bytes }) : "",
            repeat: password === repeat ? "" : t("setup.differ"),
        };
        setLocal(wrong);
        if (!wrong.password && !wrong.repeat) void submit();
    };
    // Somebody else was faster: there is an account now.
    if (error?.status === 409) void openGate();
    const said = error && error.status !== 429 ? (error.code === "wrong_code" ? error.message : errorText(error, t)) : "";
    const at = (field: string) => (error?.field === field ? said : "");
    const elsewhere = error && !["code", "name", "password"].includes(error.field ?? "") ? said : "";
    const wait = waitS > 0 ? t("login.wait", { s: waitS }) : "";
    return (
        <Frame title={t("setup.title")}>
            <p class={css.help}>{t("setup.intro")}</p>
            <form
                onSubmit={(e) => {
                    e.preventDefault();
                    send();
                }}
            >
                <Field id="code" label={t("setup.code")} help={t("setup.codeHelp")} isCode autocomplete="one-time-code" autocapitalize="characters" spellcheck={false} autofocus required maxLength={64} value={code} onText={setCode} error={at("code") || wait} />
                <Field id="name" name="username" label={t("setup.name")} help={t("setup.nameHelp")} autocomplete="username" autocapitalize="none" required maxLength={64} pattern="[A-Za-z0-9._@\-]{1,64}" value={name} onText={setName} error={at("name")} />
                <Field id="password" label={t("setup.password")} help={t("setup.passwordHelp")} type="password" autocomplete="new-password" required maxLength={256} value={password} onText={setPassword} error={local.password || at("password")} />
                <Field id="repeat" label={t("setup.repeat")} type="password" autocomplete="new-password" required maxLength={256} value={repeat} onText={setRepeat} error={local.repeat || elsewhere} />
                <button type="submit" class={cx(ui.button, ui.primary)} disabled={busy || waitS > 0}>
                    {t("setup.submit")}
                </button>
            </form>
        </Frame>
    );
}
