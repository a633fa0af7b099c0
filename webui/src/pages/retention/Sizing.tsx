import { useEffect, useRef, useState } from "preact/hooks";
import { getSize, type Retention, type Size, type SizeWish } from "../../api/retention";
import { Card, Failed } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { daysText, formatPercent } from "../../utils/figures";
import { formatBytes, formatCount, formatRate } from "../../utils/format";
import css from "./retention.module.css";
import { rounded, stepOf, STEPS, valueAt } from "./slider";

/** For a box that has measured nothing yet. */
const ASSUMED = { rate: 100, bytes: 200, stored: 50 };
const SETTLE_MS = 120;

interface Slide {
    word: Key;
    value: number;
    says: string;
    least: number;
    most: number;
    onChange: (value: number) => void;
}

function Slider({ word, value, says, least, most, onChange }: Slide) {
    const { t } = useWords();
    // An <output> here would take the label from the slider.
    return (
        <label class={css.slider}>
            <span>{t(word)}</span>
            <b>{says}</b>
            <input
                type="range"
                min={0}
                max={STEPS}
                value={stepOf(value, least, most)}
                aria-valuetext={says}
                onInput={(e) => onChange(rounded(valueAt(Number(e.currentTarget.value), least, most)))}
            />
        </label>
    );
}

interface Wish {
    factor: number;
    bytes: number;
    days: number;
    storage: number;
    share: number;
}

function Result({ word, value, isBad, children }: { word: Key; value: string; isBad: boolean; children: string }) {
    const { t } = useWords();
    return (
        <div class={cx(css.result, isBad && css.bad)}>
            <span>{t(word)}</span>
            <b>{value}</b>
            <span class="dim">{children}</span>
        </div>
    );
}

function Results({ size, wish }: { size: Size; wish: Wish }) {
    const { t } = useWords();
    const wanted = t("size.daysValue", { n: formatCount(wish.days) });
    return (
        <div class={css.results} aria-live="polite">
            <Result word="size.fits" value={daysText(size.history_days, t)} isBad={size.history_days < wish.days}>
                {t("size.fitsHelp", { n: wanted })}
            </Result>
            <Result word="size.takes" value={`${formatPercent(size.month_share_percent)} %`} isBad={size.month_share_percent > wish.share}>
                {t("size.takesHelp", { bytes: formatBytes(size.month_bytes), share: wish.share })}
            </Result>
            <Result word="size.needed" value={formatBytes(size.storage_needed_bytes)} isBad={size.storage_needed_bytes > wish.storage}>
                {t("size.neededHelp", { days: wanted, share: wish.share })}
            </Result>
        </div>
    );
}

/** More sources, other retention, message size, storage: what it comes to.  The box reckons, by the same
 * formula as `azekura size`. */
export function Sizing({ measured, r }: { measured: Size; r: Retention }) {
    const { t } = useWords();
    const isMeasured = measured.rate > 0;
    const rate = isMeasured ? measured.rate : ASSUMED.rate;
    const bytes = isMeasured ? measured.message_bytes : ASSUMED.bytes;
    const stored = isMeasured ? measured.stored_bytes : ASSUMED.stored;
    const first: Wish = {
        factor: 1,
        bytes: rounded(bytes),
        days: r.keep_days || 365,
        storage: r.capacity_bytes,
        share: r.month_share_percent,
    };
    const [wish, setWish] = useState(first);
    const [asked, setAsked] = useState(first);
    useEffect(() => {
        const timer = setTimeout(() => setAsked(wish), SETTLE_MS);
        return () => clearTimeout(timer);
    }, [wish]);
    const question: SizeWish = {
        rate: rate * asked.factor,
        bytes: asked.bytes,
        // a longer message takes more of the store in the same measure
        stored_bytes: (stored * asked.bytes) / first.bytes,
        days: asked.days,
        storage: asked.storage,
        share: asked.share,
        high_water: r.high_water_percent,
    };
    const answer = useResource(JSON.stringify(question), (signal) => getSize(question, signal));
    const last = useRef<Size | null>(null);
    if (answer.data) last.current = answer.data;
    const size = answer.data ?? last.current;
    const set = (change: Partial<Wish>) => setWish({ ...wish, ...change });
    const isMoved = JSON.stringify(wish) !== JSON.stringify(first);
    return (
        <Card
            title={t("size.title")}
            aside={
                isMoved && (
                    <button type="button" class={cx(ui.button, ui.small)} onClick={() => setWish(first)}>
                        {t("size.reset")}
                    </button>
                )
            }
        >
            <p class={css.empty}>
                {isMeasured
                    ? t("size.measured", { rate: formatRate(rate), bytes: formatBytes(bytes), stored: formatBytes(stored) })
                    : t("size.guess")}
            </p>
            {answer.error && <Failed error={answer.error} retry={answer.reload} />}
            <div class={css.sizing}>
                <div>
                    <Slider
                        word="size.sources"
                        value={wish.factor}
                        says={t("size.sourcesValue", { n: wish.factor, rate: formatRate(rate * wish.factor) })}
                        least={0.1}
                        most={100}
                        onChange={(factor) => set({ factor })}
                    />
                    <Slider word="size.message" value={wish.bytes} says={formatBytes(wish.bytes)} least={20} most={8000} onChange={(n) => set({ bytes: n })} />
                    <Slider
                        word="size.days"
                        value={wish.days}
                        says={t("size.daysValue", { n: formatCount(wish.days) })}
                        least={1}
                        most={3660}
                        onChange={(days) => set({ days: Math.max(1, Math.round(days)) })}
                    />
                    <Slider word="size.storage" value={wish.storage} says={formatBytes(wish.storage)} least={1e8} most={1e14} onChange={(storage) => set({ storage })} />
                    <label class={css.slider}>
                        <span>{t("size.share")}</span>
                        <b>{`${wish.share} %`}</b>
                        <input type="range" min={1} max={90} value={wish.share} aria-valuetext={`${wish.share} %`} onInput={(e) => set({ share: Number(e.currentTarget.value) })} />
                    </label>
                </div>
                {size && <Results size={size} wish={asked} />}
            </div>
        </Card>
    );
}
