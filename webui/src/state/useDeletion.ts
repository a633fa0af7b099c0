/* A request to delete, until the keeper has answered it. */
import { useEffect, useState } from "preact/hooks";
import { getDeletion } from "../api/retention";
import { useResource } from "./useResource";

const POLL_MS = 500;

/** `onEnd` is called once, when it is done or refused. */
export function useDeletion(id: string, onEnd: () => void) {
    const [ended, setEnded] = useState(false);
    const { data, error, reload } = useResource(`deletion ${id}`, (signal) => getDeletion(id, signal), ended ? 0 : POLL_MS);
    const isOver = data !== undefined && data.state !== "waiting";
    useEffect(() => {
        if (!isOver) return;
        setEnded(true);
        onEnd();
    }, [isOver]);
    return { data, error, reload };
}
