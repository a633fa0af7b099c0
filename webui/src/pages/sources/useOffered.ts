import { useEffect, useState } from "preact/hooks";
import { getRetention } from "../../api/retention";
import { getReparses, getZones, type Reparse } from "../../api/sources";
import { useResource } from "../../state/useResource";
import { isUnderWay } from "./Reparse";
import type { Offered } from "./SettingFields";

/** What a row can be made of; what cannot be had now is not offered. */
export function useOffered(): Offered {
    const zones = useResource("zones", getZones);
    const retention = useResource("source groups", getRetention);
    return { zones: zones.data, boxZone: retention.data?.zone, groups: retention.data?.groups };
}

const BUSY_MS = 1000;
const IDLE_MS = 10_000;

/** Requests to parse again, the newest first; asked for more often while one is under way. */
export function useReparses(): { requests: readonly Reparse[]; since: string; reload: () => void } {
    const [everyMs, setEvery] = useState(IDLE_MS);
    const { data, reload } = useResource("reparses", getReparses, everyMs);
    const requests = data ?? [];
    const isBusy = requests.some(isUnderWay);
    useEffect(() => setEvery(isBusy ? BUSY_MS : IDLE_MS), [isBusy]);
    const ended = requests.find((r) => !isUnderWay(r));
    return { requests, since: ended?.id ?? "", reload };
}
