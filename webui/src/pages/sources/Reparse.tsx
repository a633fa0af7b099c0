import { useState } from "preact/hooks";
import { boxNow } from "../../api/client";
import { cancelReparse, postReparse, type Reparse as Request } from "../../api/sources";
import formCss from "../../components/form.module.css";
import { errorText, Moment } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { useAct } from "../../state/useAct";
import { cx } from "../../utils/cx";
import { formatCount, formatTime } from "../../utils/format";
import css from "./settings.module.css";

const RANGES = ["all", "1", "7", "30"] as const;
type Range = (typeof RANGES)[number];
const RANGE: Record<Range, Key> = { all: "src.again.all", "1": "range.-24h", "7": "range.-7d", "30": "range.-30d" };
const STATE: Record<Request["state"], Key> = {
    queued: "src.again.queued",
    running: "src.again.running",
    done: "src.again.done",
    cancelled: "src.again.cancelled",
    failed: "src.again.failed",
};

export function isUnderWay({ state }: Request): boolean {
    return state === "queued" || state === "running";
}

function Row({ request: r, mayChange, onChange }: { request: Request; mayChange: boolean; onChange: () => void }) {
    const { t } = useWords();
    const act = useAct();
    const counts = { messages: formatCount(r.messages), changed: formatCount(r.changed) };
    const range = r.from ? t("src.again.since", { from: formatTime(r.from) }) : t("src.again.all");
    const cancel = async () => {
        await act.run(() => cancelReparse(r.id));
        onChange();
    };
    return (
        <li class={css.request} data-state={r.state}>
            <span>
                <strong>{t(STATE[r.state])}</strong>
                {` ${r.network} · ${t("src.again.as", { zone: r.zone, charset: r.charset ?? "UTF-8" })} · ${range} · `}
                <Moment at={r.at} />
            </span>
            {r.but_not.length > 0 && <span class="dim">{t("src.again.butNot", { networks: r.but_not.join(t("word.comma")) })}</span>}
            {isUnderWay(r) && (
                <span class={css.acts}>
                    <progress class={css.progress} max={1} value={r.progress} aria-label={t("src.again.progress")} />
                    <span>{`${Math.floor(r.progress * 100)} %`}</span>
                    {mayChange && (
                        <button type="button" class={cx(ui.button, ui.small)} disabled={act.isBusy} onClick={() => void cancel()}>
                            {t("src.again.cancel")}
                        </button>
                    )}
                </span>
            )}
            {(r.messages > 0 || r.state === "done") && <span>{t("src.again.counts", counts)}</span>}
            {r.state === "cancelled" && <span class="dim">{t("src.again.stays")}</span>}
            {r.fault && <span class={formCss.error}>{t(r.skipped > 0 ? "src.again.skipped" : "src.again.fault", { n: formatCount(r.skipped), fault: r.fault })}</span>}
            {act.error && <span class={formCss.error}>{errorText(act.error, t)}</span>}
        </li>
    );
}

interface Props {
    network: string;
    /** As the row in force says; it is what is applied. */
    zone: string;
    charset: string;
    requests: readonly Request[];
    mayChange: boolean;
    /** Something is not saved: what is saved would be applied. */
    isUnsaved: boolean;
    onChange: () => void;
}

/** Stored messages read again from their bytes, with what is said of the network now. */
export function Reparse({ network, zone, charset, requests, mayChange, isUnsaved, onChange }: Props) {
    const { t } = useWords();
    const [range, setRange] = useState<Range>("all");
    const act = useAct();
    const isBusy = requests.some((r) => r.network === network && isUnderWay(r));
    const start = async () => {
        const from = range === "all" ? null : new Date(boxNow() - Number(range) * 86_400_000).toISOString();
        if (await act.run(() => postReparse(network, from, null))) onChange();
    };
    return (
        <div class={css.body}>
            <p>{t("src.again.help", { network, as: t("src.again.as", { zone, charset }) })}</p>
            {mayChange && (
                <div class={css.acts}>
                    <label for="again-range">{t("src.again.which")}</label>
                    <select id="again-range" value={range} onChange={(e) => setRange(RANGES.find((r) => r === e.currentTarget.value) ?? "all")}>
                        {RANGES.map((r) => (
                            <option key={r} value={r}>
                                {t(RANGE[r])}
                            </option>
                        ))}
                    </select>
                    <button type="button" class={ui.button} disabled={act.isBusy || isBusy || isUnsaved} onClick={() => void start()}>
                        {t("src.again.start")}
                    </button>
                    {isUnsaved && <span class="dim">{t("src.again.saveFirst")}</span>}
                </div>
            )}
            {act.error && (
                <p class={formCss.error} role="alert">
                    {act.error.status === 409 ? act.error.message : errorText(act.error, t)}
                </p>
            )}
            {requests.length > 0 && (
                <ul class={css.requests} aria-label={t("src.again.list")} aria-live="polite">
                    {requests.slice(0, 5).map((r) => (
                        <Row key={r.id} request={r} mayChange={mayChange} onChange={onChange} />
                    ))}
                </ul>
            )}
        </div>
    );
}
