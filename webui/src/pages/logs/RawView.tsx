import { useMemo, useRef, useState } from "preact/hooks";
import { getRaw, rawUrl } from "../../api/endpoints";
import { Copy } from "../../components/Copy";
import { Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useResource } from "../../state/useResource";
import { bytesToText, hexLines } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./detail.module.css";

/** Shown at first; a message may have a megabyte. */
const SHOWN_BYTES = 4096;
/** Sixteen bytes a line, in hex and as text, need this much; else there are eight. */
const WIDE_PX = 560;

/** The bytes exactly as received, as text and in hex. */
export function RawView({ id }: { id: string }) {
    const { t } = useWords();
    const [isHex, setHex] = useState(false);
    const [perLine, setPerLine] = useState(16);
    const place = useRef<HTMLElement>(null);
    const [isWhole, setWhole] = useState(false);
    const { data, error, reload } = useResource(`raw ${id}`, (signal) => getRaw(id, signal));
    const shown = useMemo(() => (isWhole ? data : data?.subarray(0, SHOWN_BYTES)), [data, isWhole]);
    const text = useMemo(() => (shown ? bytesToText(shown) : ""), [shown]);
    const lines = useMemo(() => (shown && isHex ? hexLines(shown, perLine) : []), [shown, isHex, perLine]);
    const showHex = () => {
        setPerLine((place.current?.clientWidth ?? 0) >= WIDE_PX ? 16 : 8);
        setHex(true);
    };
    if (error && !data) return <Failed error={error} retry={reload} />;
    if (!data) return <Skeleton heights={[64]} />;
    return (
        <section ref={place} aria-label={t("line.raw")}>
            <div class={css.rawHead}>
                <h3>{t("line.raw")}</h3>
                <span class="dim">{t("line.bytes", { n: formatCount(data.length) })}</span>
                <span class={css.rawTools}>
                    <button type="button" class={cx(ui.button, ui.small)} aria-pressed={!isHex} onClick={() => setHex(false)}>
                        {t("line.text")}
                    </button>
                    <button type="button" class={cx(ui.button, ui.small)} aria-pressed={isHex} onClick={showHex}>
                        {t("line.hex")}
                    </button>
                    <Copy text={isHex ? lines.map((l) => l.hex).join("\n") : text} />
                    <a class={cx(ui.button, ui.small)} href={rawUrl(id)} download>
                        {t("line.rawSave")}
                    </a>
                </span>
            </div>
            {isHex ? (
                <pre class={css.hex} tabIndex={0} data-raw="hex">
                    {lines.map((l) => (
                        <div key={l.offset}>
                            <span class={css.offset}>{l.offset}</span>
                            <span class={css.bytes}>{l.hex.padEnd(perLine * 3 - 1)}</span>
                            <span class={css.ascii}>{l.ascii}</span>
                        </div>
                    ))}
                </pre>
            ) : (
                <pre class={css.rawText} tabIndex={0} data-raw="text">
                    {text}
                </pre>
            )}
            {data.length > SHOWN_BYTES && !isWhole && (
                <p class={css.rawCut}>
                    {t("line.rawCut", { n: formatCount(SHOWN_BYTES) })}{" "}
                    <button type="button" class={cx(ui.button, ui.small)} onClick={() => setWhole(true)}>
                        {t("line.rawAll")}
                    </button>
                </p>
            )}
        </section>
    );
}
