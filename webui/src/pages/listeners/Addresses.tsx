import { useWords } from "../../i18n";
import ui from "../../components/ui.module.css";
import { AddressEditor } from "./AddressEditor";
import css from "./listeners.module.css";
import { SettingsBar } from "./SettingsBar";
import { SettingsCard } from "./SettingsCard";
import { useSettingsForm } from "./useSettingsForm";
import type { View } from "./view";

const LIMITS = ["receiver.tcp_max_connections", "receiver.tcp_max_per_source", "receiver.tls_max_half_open"];
const TIMES = ["receiver.tcp_idle_seconds", "receiver.unfinished_seconds", "receiver.handshake_seconds"];

/** Where it listens, and how long and how many it bears with. */
export function Addresses({ view }: { view: View }) {
    const { t } = useWords();
    const form = useSettingsForm(view);
    return (
        <div class={css.narrow}>
            {!view.isAdmin && <p class={ui.note}>{t("settings.readOnly")}</p>}
            {view.listeners.listeners.map((l) => (
                <AddressEditor key={l.name} listener={l} isKnown={view.listeners.age_us !== null} form={form} isAdmin={view.isAdmin} />
            ))}
            <SettingsCard word="listen.limits" names={LIMITS} form={form} isAdmin={view.isAdmin} />
            <SettingsCard word="listen.times" names={TIMES} form={form} isAdmin={view.isAdmin} />
            <SettingsBar view={view} form={form} />
        </div>
    );
}
