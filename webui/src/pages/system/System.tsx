import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../../api/client";
import { getSettings, patchSettings } from "../../api/endpoints";
import type { Session, Setting } from "../../api/types";
import { Card, errorText, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { gate } from "../../state/session";
import { asText, change, changes, groupSettings, problems, type Draft, type Group } from "../../state/settingsDraft";
import { useLeaveGuard } from "../../state/useLeaveGuard";
import { asApiError, useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { Account } from "./Account";
import { problemText, SettingRow } from "./SettingRow";
import css from "./system.module.css";

const GROUP: Record<Group, Key> = {
    box: "group.box",
    time: "group.time",
    receiver: "group.receiver",
    store: "group.store",
    storage: "group.storage",
    retention: "group.retention",
    ledger: "group.ledger",
    web: "group.web",
    other: "group.other",
    files: "group.files",
};

function Settings({ initial, isAdmin }: { initial: Setting[]; isAdmin: boolean }) {
    const { t } = useWords();
    const [settings, setSettings] = useState(initial);
    const [draft, setDraft] = useState<Draft>({});
    const [error, setError] = useState<ApiError | null>(null);
    const [said, setSaid] = useState<Key | null>(null);
    const [busy, setBusy] = useState(false);
    const n = Object.keys(draft).length;
    const wrong = problems(settings, draft);

    useLeaveGuard(n > 0, t("settings.leave"));

    useEffect(() => {
        if (!said) return;
        const timer = setTimeout(() => setSaid(null), 6000);
        return () => clearTimeout(timer);
    }, [said]);

    const save = async () => {
        setBusy(true);
        setError(null);
        try {
            const restart = settings.some((s) => s.scope === "restart" && s.name in draft);
            const next = await patchSettings(changes(settings, draft));
            setSettings(next);
            setDraft({});
            setSaid(restart ? "settings.savedRestart" : "settings.saved");
            const open = gate.get();
            const name = next.find((s) => s.name === "box.name");
            if (open.state === "in" && name) {
                gate.set({ ...open, session: { ...open.session, box: { ...open.session.box, name: asText(name.value) } } });
            }
        } catch (cause) {
            setError(asApiError(cause));
        }
        setBusy(false);
    };
    const elsewhere = error && !(error.field && error.field in draft);
    return (
        <>
            {!isAdmin && <p class={ui.note}>{t("settings.readOnly")}</p>}
            {groupSettings(settings).map(({ group, settings: rows }) => (
                <Card key={group} title={t(GROUP[group])}>
                    {rows.map((setting) => {
                        const problem = wrong[setting.name];
                        const refused = error?.field === setting.name ? error.message : "";
                        return (
                            <SettingRow
                                key={setting.name}
                                setting={setting}
                                text={draft[setting.name] ?? asText(setting.value)}
                                isChanged={setting.name in draft}
                                isReadOnly={!isAdmin || setting.scope === "file"}
                                error={problem ? problemText(problem, t) : refused}
                                onText={(text) => {
                                    setSaid(null);
                                    setDraft(change(draft, setting, text));
                                }}
                            />
                        );
                    })}
                </Card>
            ))}
            {(n > 0 || said) && (
                <div class={css.bar} role="region" aria-label={t("settings.title")}>
                    <span role="status">{n > 0 ? t("settings.unsaved", { n }) : said && t(said)}</span>
                    {elsewhere && <span class={css.error}>{errorText(error, t)}</span>}
                    {n > 0 && (
                        <>
                            <button
                                type="button"
                                class={cx(ui.button, ui.primary)}
                                disabled={busy || Object.keys(wrong).length > 0}
                                onClick={() => void save()}
                            >
                                {t("settings.save")}
                            </button>
                            <button
                                type="button"
                                class={ui.button}
                                disabled={busy}
                                onClick={() => {
                                    setDraft({});
                                    setError(null);
                                }}
                            >
                                {t("settings.discard")}
                            </button>
                        </>
                    )}
                </div>
            )}
        </>
    );
}

export function System({ session }: { session: Session }) {
    const { t } = useWords();
    const { data, error, reload } = useResource("settings", getSettings);
    useEffect(() => {
        if (location.hash === "#account") document.getElementById("account")?.scrollIntoView();
    }, []);
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.system")}</h1>
                <span class="dim">{`${t("app.product")} ${session.box.version}`}</span>
            </div>
            <div class={css.grid}>
                <Account session={session} />
                {error && !data && <Failed error={error} retry={reload} />}
                {!data && !error && <Skeleton heights={[120, 240, 240]} />}
                {data && <Settings initial={data} isAdmin={session.role === "admin"} />}
            </div>
        </>
    );
}
