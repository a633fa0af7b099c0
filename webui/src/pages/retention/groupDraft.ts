/* The form of a source group.  Pure. */
import type { GroupWish, SourceGroup } from "../../api/retention";

export interface GroupDraft {
    name: string;
    quota: string;
    keep: string;
    /** One a line. */
    members: string;
}

export type GroupProblem = { field: keyof GroupDraft; line?: number; text?: string };

export function groupDraftOf(group: SourceGroup | null): GroupDraft {
    return {
        name: group?.name ?? "",
        quota: group?.quota_percent === null || !group ? "" : String(group.quota_percent),
        keep: group?.keep_days === null || !group ? "" : String(group.keep_days),
        members: group?.members.join("\n") ?? "",
    };
}

function isV4(text: string): boolean {
    const parts = text.split(".");
    return parts.length === 4 && parts.every((p) => /^(0|[1-9]\d{0,2})$/.test(p) && Number(p) <= 255);
}

function isV6(text: string): boolean {
    if (!text.includes(":") || !/^[0-9a-fA-F:.]+$/.test(text)) return false;
    try {
        return new URL(`http://[${text}]/`).hostname !== "";
    } catch {
        return false;
    }
}

/** An address, or a network with its length; the box looks again and has the last word. */
export function isMember(text: string): boolean {
    const [address = "", length, more] = text.split("/");
    const bits = isV4(address) ? 32 : isV6(address) ? 128 : -1;
    if (bits < 0 || more !== undefined) return false;
    return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
}

export function readGroup(draft: GroupDraft): { wish: GroupWish; problems: GroupProblem[] } {
    const problems: GroupProblem[] = [];
    const name = draft.name.trim();
    if (name === "" || [...name].length > 64 || /[\u0000-\u001f\u007f]/.test(name)) problems.push({ field: "name" });
    const quota = draft.quota.trim() === "" ? null : Number(draft.quota);
    if (quota !== null && !(quota > 0 && quota <= 100)) problems.push({ field: "quota" });
    const keep = draft.keep.trim() === "" ? null : Number(draft.keep);
    if (keep !== null && !(/^\d{1,5}$/.test(draft.keep.trim()) && keep <= 36_600)) problems.push({ field: "keep" });
    const lines = draft.members.split("\n").map((line) => line.trim());
    const wrong = lines.findIndex((line) => line !== "" && !isMember(line));
    if (wrong >= 0) problems.push({ field: "members", line: wrong + 1, text: lines[wrong] ?? "" });
    return { wish: { name, quota_percent: quota, keep_days: keep, members: lines.filter(Boolean) }, problems };
}
