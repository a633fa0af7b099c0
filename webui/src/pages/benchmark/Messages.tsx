import { useState } from "preact/hooks";
import { deleteBenchMessages, getBenchMessages, type BenchMessages } from "../../api/bench";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { Card, errorText, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useAct } from "../../state/useAct";
import { useDeletion } from "../../state/useDeletion";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatBytes, formatShort, formatTimes } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { Senders } from "./Senders";

const EVERY_MS = 10_000;

function words({ messages, bytes }: { messages: number; bytes: number }) {
    return { messages: formatShort(messages), bytes: formatBytes(bytes) };
}

/** Until the keeper has answered. */
function Progress({ id, reader: { t }, onEnd }: { id: string; reader: Reader; onEnd: () => void }) {
    const { data, error, reload } = useDeletion(id, onEnd);
    if (data?.state === "done") {
        return (
            <p class={css.good} role="status">
                {data.receipt ? t("bench.left.done", words(data.receipt)) : data.message}
            </p>
        );
    }
    if (data?.state === "refused") {
        return (
            <p class={css.bad} role="alert">
                {t("bench.left.refused", { message: data.message ?? "" })}
            </p>
        );
    }
    return (
        <div role="status">
            <p>{t("bench.left.working")}</p>
            <progress class={css.progress} aria-label={t("bench.left.working")} />
            {error && !data && <Failed error={error} retry={reload} />}
        </div>
    );
}

function DeleteMessages({ left, reader, onDone, onClose }: { left: BenchMessages; reader: Reader; onDone: () => void; onClose: () => void }) {
    const { t } = reader;
    const [id, setId] = useState<string | null>(null);
    // what the button names stays what it named
    const [named] = useState(left);
    const act = useAct();
    const destroy = () => void act.run(async () => setId((await deleteBenchMessages()).id));
    return (
        <Dialog title={t("bench.left.delete", words(named))} onClose={onClose} isBusy={act.isBusy}>
            <div class={formCss.form}>
                {id ? <Progress id={id} reader={reader} onEnd={onDone} /> : <p>{t("bench.left.gone", words(named))}</p>}
                {act.error && (
                    <p class={formCss.error} role="alert">
                        {errorText(act.error, t)}
                    </p>
                )}
                <div class={ui.actions}>
                    {!id && (
                        <button type="button" class={cx(ui.button, formCss.danger)} disabled={act.isBusy} onClick={destroy}>
                            {t("bench.left.delete", words(named))}
                        </button>
                    )}
                    <button type="button" class={ui.button} disabled={act.isBusy} onClick={onClose}>
                        {t(id ? "action.close" : "action.cancel")}
                    </button>
                </div>
            </div>
        </Dialog>
    );
}

/** What benchmarks of this box left in its store. */
export function Messages({ isRunning, reader }: { isRunning: boolean; reader: Reader }) {
    const { t } = reader;
    const { data, error, reload } = useResource("bench messages", getBenchMessages, EVERY_MS);
    const [isAsking, setAsking] = useState(false);
    const from = data?.oldest ? new Date(data.oldest) : null;
    const range = from && data?.newest ? formatTimes(from, new Date(data.newest)) : "–";
    return (
        <Card title={t("bench.left.title")}>
            {error && !data && <Failed error={error} retry={reload} />}
            {!data && !error && <Skeleton heights={[48]} />}
            {data && (
                <div class={css.body}>
                    <p>{data.messages === 0 ? t("bench.left.none") : t("bench.left.some", { ...words(data), range })}</p>
                    {data.messages > 0 && <p class="dim">{t("bench.left.apart")}</p>}
                    {data.messages > 0 && reader.mayDelete && (
                        <div class={ui.actions}>
                            <button type="button" class={cx(ui.button, ui.small)} disabled={isRunning} onClick={() => setAsking(true)}>
                                {t("bench.left.delete", words(data))}
                            </button>
                            {isRunning && <span class="dim">{t("bench.left.running")}</span>}
                        </div>
                    )}
                    <Senders reader={reader} />
                    {isAsking && <DeleteMessages left={data} reader={reader} onDone={reload} onClose={() => setAsking(false)} />}
                </div>
            )}
        </Card>
    );
}
