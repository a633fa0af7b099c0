import { useEffect, useRef, useState } from "preact/hooks";
import { boxNow } from "../api/client";
import { useWords, type Key } from "../i18n";
import {
    absoluteRange,
    fromInput,
    isPreset,
    PRESETS,
    resolveRange,
    toInput,
    type Preset,
    type TimeRange as Range,
} from "../state/timeRange";
import { cx } from "../utils/cx";
import { formatTimes, zoneOffset } from "../utils/format";
import { Icon } from "./Icon";
import css from "./TimeRange.module.css";
import ui from "./ui.module.css";

const WORDS: Record<Preset, Key> = {
    "-15m": "range.-15m",
    "-1h": "range.-1h",
    "-6h": "range.-6h",
    "-24h": "range.-24h",
    "-7d": "range.-7d",
    "-30d": "range.-30d",
    "-90d": "range.-90d",
    "-365d": "range.-365d",
    "-730d": "range.-730d",
};
const ABSOLUTE = "absolute";

interface Props {
    range: Range;
    onChange: (range: Range) => void;
}

function Absolute({ range, onChange, close }: Props & { close: () => void }) {
    const { t } = useWords();
    const span = resolveRange(range, boxNow());
    const [from, setFrom] = useState(toInput(span.from));
    const [to, setTo] = useState(toInput(span.to));
    const [wrong, setWrong] = useState(false);
    const first = useRef<HTMLInputElement>(null);
    useEffect(() => first.current?.focus(), []);
    const apply = (e: Event) => {
        e.preventDefault();
        const begin = fromInput(from);
        const end = fromInput(to);
        if (begin === null || end === null || end <= begin) {
            setWrong(true);
            return;
        }
        onChange(absoluteRange(begin, end));
        close();
    };
    return (
        <form class={css.popover} onSubmit={apply} onKeyDown={(e) => e.key === "Escape" && close()}>
            <label>
                {t("range.from")}
                <input ref={first} type="datetime-local" step="1" value={from} onInput={(e) => setFrom(e.currentTarget.value)} />
            </label>
            <label>
                {t("range.to")}
                <input type="datetime-local" step="1" value={to} onInput={(e) => setTo(e.currentTarget.value)} />
            </label>
            {wrong && (
                <p class={css.error} role="alert">
                    {t("range.wrong")}
                </p>
            )}
            <p class="dim">{t("range.zone", { zone: zoneOffset(new Date()) })}</p>
            <div class={ui.actions}>
                <button type="submit" class={cx(ui.button, ui.primary)}>
                    {t("range.apply")}
                </button>
                <button type="button" class={ui.button} onClick={close}>
                    {t("action.cancel")}
                </button>
            </div>
        </form>
    );
}

/** One control for time on every page that has it: presets, and two moments. */
export function TimeRange({ range, onChange }: Props) {
    const { t } = useWords();
    const [isOpen, setOpen] = useState(false);
    const span = resolveRange(range, boxNow());
    const preset = isPreset(range) ? range.from : ABSOLUTE;
    const shift = (by: number) => {
        const length = span.to - span.from;
        onChange(absoluteRange(span.from + by * length, span.to + by * length));
    };
    return (
        <div class={css.control}>
            {preset === ABSOLUTE && (
                <button type="button" class={cx(ui.button, ui.bare, css.exact)} onClick={() => setOpen(!isOpen)}>
                    {formatTimes(new Date(span.from), new Date(span.to))}
                </button>
            )}
            <button type="button" class={cx(ui.button, ui.bare)} title={t("range.back")} aria-label={t("range.back")} onClick={() => shift(-1)}>
                <Icon name="fold" />
            </button>
            <select
                aria-label={t("range.label")}
                value={preset}
                onChange={(e) => {
                    const chosen = e.currentTarget.value;
                    if (chosen === ABSOLUTE) setOpen(true);
                    else {
                        setOpen(false);
                        onChange({ from: chosen, to: "" });
                    }
                }}
            >
                {PRESETS.map((p) => (
                    <option key={p} value={p}>
                        {t(WORDS[p])}
                    </option>
                ))}
                <option value={ABSOLUTE}>{t("range.absolute")}</option>
            </select>
            <button
                type="button"
                class={cx(ui.button, ui.bare)}
                title={t("range.forward")}
                aria-label={t("range.forward")}
                disabled={range.to === ""}
                onClick={() => shift(1)}
            >
                <Icon name="unfold" />
            </button>
            {isOpen && <Absolute range={range} onChange={onChange} close={() => setOpen(false)} />}
        </div>
    );
}
