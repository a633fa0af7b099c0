/* One row of settings as it is changed: begun from the row there is, saved against the version it was seen in, taken back. */
import { useState } from "preact/hooks";
import { deleteSourceSetting, getSourceSettings, putSourceSetting, type SourceSetting, type SourceSettings } from "../../api/sources";
import { useWords } from "../../i18n";
import { useAct, type Act } from "../../state/useAct";
import { useLeaveGuard } from "../../state/useLeaveGuard";
import { draftOf, EMPTY, isSame, networkOf, problemsOf, rowInForce, wishOf, type Draft, type Problem } from "./draft";

export interface SettingForm {
    act: Act;
    draft: Draft;
    /** What it was begun with. */
    base: Draft;
    /** The row of exactly this network. */
    row: SourceSetting | null;
    /** The row that decides for it now. */
    inForce: SourceSetting | null;
    settings: SourceSettings;
    isChanged: boolean;
    problems: readonly Problem[];
    said: "saved" | "undone" | "removed" | null;
    mayUndo: boolean;
    set: (change: Partial<Draft>) => void;
    /** Another network; what was typed goes along. */
    choose: (network: string) => void;
    save: () => Promise<void>;
    remove: () => Promise<void>;
    undo: () => Promise<void>;
    discard: () => void;
    /** What the box has now, after somebody else changed it. */
    reread: () => Promise<void>;
}

interface Wish {
    settings: SourceSettings;
    zones: readonly string[] | undefined;
    /** "": a network is to be typed. */
    network: string;
    onSettings: (settings: SourceSettings) => void;
}

function exactRow(rows: readonly SourceSetting[], network: string): SourceSetting | null {
    const wanted = networkOf(network);
    return (wanted && rows.find((row) => networkOf(row.network) === wanted)) || null;
}

/** A row wins whole: one of its own begins with what decides now, but for name and note. */
function baseOf(rows: readonly SourceSetting[], network: string): Draft {
    const row = exactRow(rows, network);
    if (row) return { ...draftOf(row), network };
    const inForce = rowInForce(rows, network);
    return inForce ? { ...draftOf(inForce), network, name: "", note: "" } : { ...EMPTY, network };
}

export function useSettingForm({ settings, zones, network: start, onSettings }: Wish): SettingForm {
    const { t } = useWords();
    const [network, setNetwork] = useState(start);
    const [draft, setDraft] = useState<Draft | null>(null);
    const [before, setBefore] = useState<{ network: string; row: SourceSetting | null; version: string } | null>(null);
    const [said, setSaid] = useState<SettingForm["said"]>(null);
    const act = useAct();
    const isTyped = start === "";
    const base = isTyped ? EMPTY : baseOf(settings.rows, network);
    const now = draft ?? base;
    const row = exactRow(settings.rows, now.network);
    const isChanged = draft !== null && !isSame(draft, base);
    useLeaveGuard(isChanged, t("settings.leave"));

    const put = (of: string, wanted: SourceSetting | null, version: string) =>
        wanted ? putSourceSetting(of, wishOf(draftOf(wanted)), version) : deleteSourceSetting(of, version);
    /** Do it, and show what the box has then; what was there can be put back. */
    const change = async (of: string, ask: () => Promise<unknown>, done: SettingForm["said"], keep: boolean) => {
        const was = exactRow(settings.rows, of);
        const isDone = await act.run(async () => {
            await ask();
            const fresh = await getSourceSettings();
            setBefore(keep ? { network: of, row: was, version: fresh.version } : null);
            setDraft(null);
            setSaid(done);
            onSettings(fresh);
        });
        if (isDone && isTyped) setNetwork("");
    };
    return {
        act,
        draft: now,
        base,
        row,
        inForce: row ?? rowInForce(settings.rows, now.network),
        settings,
        isChanged,
        problems: problemsOf(now, isTyped, settings.rows, zones),
        said: isChanged ? null : said,
        mayUndo: before !== null && !isChanged,
        set: (to) => {
            act.clear();
            setDraft({ ...now, ...to });
        },
        choose: (to) => {
            setNetwork(to);
            setDraft(isChanged ? { ...now, network: to } : null);
            setSaid(null);
        },
        save: () => {
            const of = networkOf(now.network) ?? now.network;
            return change(of, () => putSourceSetting(of, wishOf(now), settings.version), "saved", true);
        },
        remove: () => change(now.network, () => deleteSourceSetting(now.network, settings.version), "removed", true),
        undo: async () => {
            if (before) await change(before.network, () => put(before.network, before.row, before.version), "undone", false);
        },
        discard: () => {
            setDraft(null);
            act.clear();
        },
        reread: async () => {
            await act.run(async () => onSettings(await getSourceSettings()));
            setDraft(null);
        },
    };
}
