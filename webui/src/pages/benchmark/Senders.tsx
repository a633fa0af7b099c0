import { deleteBenchSender, getBenchSenders, type BenchSender } from "../../api/bench";
import { errorText } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useAct } from "../../state/useAct";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatCount, formatTime } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";

const EVERY_MS = 30_000;

function Sender({ sender, reader: { t, mayDelete }, onEnd }: { sender: BenchSender; reader: Reader; onEnd: () => void }) {
    const act = useAct();
    const end = () =>
        void act.run(async () => {
            await deleteBenchSender(sender.address);
            onEnd();
        });
    const n = sender.device_messages;
    return (
        <li>
            {t("bench.sender", { address: sender.address, until: formatTime(new Date(sender.until)), actor: sender.actor })}{" "}
            {n > 0 && <strong class={css.bad}>{t("bench.sender.device", { n: formatCount(n) })}</strong>}{" "}
            {mayDelete && (
                <button type="button" class={cx(ui.button, ui.small)} disabled={act.isBusy} aria-label={`${t("bench.sender.end")}: ${sender.address}`} onClick={end}>
                    {t("bench.sender.end")}
                </button>
            )}
            {act.error && <span role="alert">{errorText(act.error, t)}</span>}
        </li>
    );
}

/** Addresses of other machines whose messages are no logs for the time of a benchmark; mostly there is none. */
export function Senders({ reader }: { reader: Reader }) {
    const { data, reload } = useResource("bench senders", getBenchSenders, EVERY_MS);
    if (!data || data.senders.length === 0) return null;
    return (
        <ul>
            {data.senders.map((sender) => (
                <Sender key={sender.address} sender={sender} reader={reader} onEnd={reload} />
            ))}
        </ul>
    );
}
