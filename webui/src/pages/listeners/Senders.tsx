import { putAllow, type AllowEntry } from "../../api/listeners";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { AllowCard } from "./AllowCard";
import { entriesOf } from "./allow";
import { LimitsCard } from "./LimitsCard";
import css from "./listeners.module.css";
import { Refused } from "./Refused";
import { SettingsBar } from "./SettingsBar";
import { SettingsCard } from "./SettingsCard";
import { useListForm } from "./useListForm";
import { useSettingsForm } from "./useSettingsForm";
import type { View } from "./view";

const RATES = ["receiver.rate_limit", "receiver.rate_burst"];

/** Who may send, and how much. */
export function Senders({ view }: { view: View }) {
    const { t } = useWords();
    const settings = useSettingsForm(view);
    const current: AllowEntry[] = view.listeners.allow.map(({ network, listener, note }) => ({ network, listener, note }));
    const allow = useListForm<AllowEntry>(
        { rows: current, version: view.listeners.versions.allow },
        async (rows, force, version) => (await putAllow(entriesOf(rows), force, version)).versions.allow,
        view.reload,
    );
    return (
        <div class={css.narrow}>
            {!view.isAdmin && <p class={ui.note}>{t("settings.readOnly")}</p>}
            <AllowCard view={view} form={allow} />
            <Refused
                senders={view.listeners.refused_senders}
                current={current}
                mayAllow={view.isAdmin && allow.n === 0}
                allow={(entry) => allow.apply([...current, entry], false)}
            />
            <section class={css.section}>
                <SettingsCard word="limits.everyone" names={RATES} form={settings} isAdmin={view.isAdmin} />
                <SettingsBar view={view} form={settings} />
            </section>
            <LimitsCard view={view} />
        </div>
    );
}
