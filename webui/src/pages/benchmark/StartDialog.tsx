import { useState } from "preact/hooks";
import { postRun, type Profile } from "../../api/bench";
import type { ApiError } from "../../api/client";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { href, navigate } from "../../state/router";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { formatBytes, formatShort } from "../../utils/format";
import css from "./benchmark.module.css";
import { Options, Targets } from "./Options";
import type { Reader } from "./reader";
import { lengthText, said } from "./texts";
import { costOf, optionsOf, wrongOptions, type Wish } from "./wish";

/** What it does to a box in service, before the password is asked for. */
function Warning({ profile, wish, reader }: { profile: Profile; wish: Wish; reader: Reader }) {
    const { t } = reader;
    const cost = costOf(profile, wish);
    const free = profile.estimate.free_bytes;
    const isBox = wish.target === "box";
    return (
        <section class={css.warning} aria-label={t("bench.warn")}>
            <h3>{t("bench.warn")}</h3>
            <ul>
                <li>{t("bench.warn.time", { time: lengthText(cost.duration_s, t), messages: formatShort(Math.round(cost.messages)) })}</li>
                <li class={cost.bytes > free ? css.bad : ""}>{t("bench.warn.disk", { bytes: formatBytes(cost.bytes), free: formatBytes(free) })}</li>
                <li>{t(isBox ? "bench.warn.box" : "bench.warn.private")}</li>
                <li>{t(isBox ? "bench.warn.marked" : "bench.warn.removed")}</li>
            </ul>
            {cost.isOfDefaults && <p class="dim">{t("bench.warn.defaults")}</p>}
        </section>
    );
}

function refusal(error: ApiError, { t }: Reader): string {
    if (error.code === "wrong_password") return t("bench.passwordWrong");
    if (error.code === "running") return t("bench.busy");
    if (error.status === 429) return t("login.wait", { s: error.retryAfterS ?? 1 });
    return errorText(error, t);
}

export function StartDialog({ profile, reader, onClose }: { profile: Profile; reader: Reader; onClose: () => void }) {
    const { t, lang } = reader;
    const act = useAct();
    const [wish, setWish] = useState<Wish>({ target: profile.targets[0] ?? "azekura" });
    const [password, setPassword] = useState("");
    const wrong = wrongOptions(profile, wish);
    const start = async (e: Event) => {
        e.preventDefault();
        if (wrong.length > 0 || password === "") return;
        let id = "";
        const isDone = await act.run(async () => {
            ({ id } = await postRun({ profile: profile.name, target: wish.target, options: optionsOf(profile, wish), password }));
        });
        setPassword("");
        if (isDone) {
            onClose();
            navigate(href("/benchmark", { run: id }));
        }
    };
    return (
        <Dialog title={t("bench.prepareTitle", { name: said(profile.title, lang) })} onClose={onClose} isBusy={act.isBusy}>
            <form class={formCss.form} noValidate onSubmit={(e) => void start(e)}>
                <Targets profile={profile} wish={wish} reader={reader} onWish={setWish} />
                <Options profile={profile} wish={wish} wrong={wrong} reader={reader} onWish={setWish} />
                <Warning profile={profile} wish={wish} reader={reader} />
                <div class={formCss.field}>
                    <label for="bench-password">{t("bench.password")}</label>
                    <input
                        id="bench-password"
                        type="password"
                        autocomplete="current-password"
                        value={password}
                        aria-invalid={act.error ? "true" : undefined}
                        aria-describedby="bench-password-hint"
                        onInput={(e) => setPassword(e.currentTarget.value)}
                    />
                    <span id="bench-password-hint" class={formCss.hint}>
                        {t("bench.passwordHelp")}
                    </span>
                </div>
                {act.error && (
                    <p class={formCss.error} role="alert">
                        {refusal(act.error, reader)}
                    </p>
                )}
                <div class={ui.actions}>
                    <button type="submit" class={cx(ui.button, ui.primary)} disabled={act.isBusy || password === "" || wrong.length > 0}>
                        {t("bench.start")}
                    </button>
                    <button type="button" class={ui.button} disabled={act.isBusy} onClick={onClose}>
                        {t("action.cancel")}
                    </button>
                </div>
            </form>
        </Dialog>
    );
}
