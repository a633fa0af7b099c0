import { useState } from "preact/hooks";
import { patchSettings } from "../../api/endpoints";
import type { Setting, SettingValue } from "../../api/types";
import { useWords } from "../../i18n";
import { asText, change, changes, problems, type Draft } from "../../state/settingsDraft";
import { useAct, type Act } from "../../state/useAct";
import { useLeaveGuard } from "../../state/useLeaveGuard";
import { problemText } from "../system/SettingRow";
import { hasProblem } from "./addresses";
import type { View } from "./view";

type Undo = Record<string, SettingValue | null>;

export interface SettingsForm {
    act: Act;
    draft: Draft;
    n: number;
    isWrong: boolean;
    said: "saved" | "undone" | null;
    mayUndo: boolean;
    setting: (name: string) => Setting | undefined;
    text: (name: string) => string;
    /** What is wrong with it, here or by the box; "". */
    problem: (name: string) => string;
    set: (name: string, text: string) => void;
    save: () => Promise<void>;
    undo: () => Promise<void>;
    discard: () => void;
}

/** Some settings as a form: changed, saved as one, taken back. */
export function useSettingsForm({ settings, onSettings, reload }: View): SettingsForm {
    const { t } = useWords();
    const [draft, setDraft] = useState<Draft>({});
    const [undo, setUndo] = useState<Undo | null>(null);
    const [said, setSaid] = useState<SettingsForm["said"]>(null);
    const act = useAct();
    const n = Object.keys(draft).length;
    const wrong = problems(settings, draft);
    const setting = (name: string) => settings.find((s) => s.name === name);
    const wrongAddresses = Object.entries(draft).some(([name, text]) => setting(name)?.type === "addresses" && hasProblem(text));
    useLeaveGuard(n > 0, t("settings.leave"));

    const put = (body: Undo) =>
        act.run(async () => {
            onSettings(await patchSettings(body));
            setDraft({});
            reload();
        });
    return {
        act,
        draft,
        n,
        isWrong: Object.keys(wrong).length > 0 || wrongAddresses,
        said,
        mayUndo: undo !== null && n === 0,
        setting,
        text: (name) => draft[name] ?? asText(setting(name)?.value ?? ""),
        problem: (name) => {
            const here = wrong[name];
            if (here) return problemText(here, t);
            return act.error?.field === name && name in draft ? act.error.message : "";
        },
        set: (name, text) => {
            const of = setting(name);
            if (!of) return;
            setSaid(null);
            act.clear();
            setDraft((before) => change(before, of, text));
        },
        save: async () => {
            const before: Undo = Object.fromEntries(
                Object.keys(draft).map((name) => {
                    const s = setting(name);
                    // never changed: back to the file's
                    return [name, s && s.changed_at !== null ? s.value : null];
                }),
            );
            if (!(await put(changes(settings, draft)))) return;
            setUndo(before);
            setSaid("saved");
        },
        undo: async () => {
            if (!undo || !(await put(undo))) return;
            setUndo(null);
            setSaid("undone");
        },
        discard: () => {
            setDraft({});
            act.clear();
        },
    };
}
