import { Card } from "../../components/States";
import type { Key } from "../../i18n";
import { useWords } from "../../i18n";
import { SettingRow } from "../system/SettingRow";
import type { SettingsForm } from "./useSettingsForm";

/** Rows of settings as on the page System, named by what they do. */
export function SettingsCard({ word, names, form, isAdmin }: { word: Key; names: readonly string[]; form: SettingsForm; isAdmin: boolean }) {
    const { t } = useWords();
    return (
        <Card title={t(word)}>
            {names.map((name) => {
                const setting = form.setting(name);
                if (!setting) return null;
                return (
                    <SettingRow
                        key={name}
                        setting={setting}
                        text={form.text(name)}
                        isChanged={name in form.draft}
                        isReadOnly={!isAdmin || setting.scope === "file"}
                        error={form.problem(name)}
                        onText={(text) => form.set(name, text)}
                    />
                );
            })}
        </Card>
    );
}
