import type { ComponentChildren } from "preact";
import { boxTime, type ApiError } from "../api/client";
import { useWords, type Translate } from "../i18n";
import { useDelayed, useNow } from "../state/useNow";
import { cx } from "../utils/cx";
import { formatAgo, formatExact, formatTime } from "../utils/format";
import ui from "./ui.module.css";

/** Blocks in the place of what is coming, once waiting is worth showing. */
export function Skeleton({ heights }: { heights: number[] }) {
    const { t } = useWords();
    const late = useDelayed(true, 200);
    if (!late) return null;
    return (
        <div role="status" style={{ display: "grid", gap: "8px" }}>
            <span class="visually-hidden">{t("state.loading")}</span>
            {heights.map((height, i) => (
                <div key={i} class={ui.skeleton} style={{ height: `${height}px` }} />
            ))}
        </div>
    );
}

export function errorText(error: ApiError, t: Translate): string {
    if (error.code === "unreachable") return t("error.unreachable");
    if (error.code === "database_away") return t("error.database");
    if (error.status === 403) return t("error.forbidden");
    return t("error.other", { message: error.message });
}

export function Failed({ error, retry }: { error: ApiError; retry?: () => void }) {
    const { t } = useWords();
    // The banner above every page says what is away; here only that this is why nothing is here.
    const away = error.code === "database_away" || error.code === "unreachable";
    return (
        <div class={cx(ui.note, ui.failed, !away && ui.noteBad)} role={away ? "status" : "alert"}>
            {away ? t("error.nothingYet") : <strong>{errorText(error, t)}</strong>}
            {retry && (
                <div class={ui.actions}>
                    <button type="button" class={cx(ui.button, ui.small)} onClick={retry}>
                        {t("action.retry")}
                    </button>
                </div>
            )}
        </div>
    );
}

/** "updated 3 seconds ago"; a warning once it is older than `staleMs`. */
export function Age({ at, staleMs }: { at: number; staleMs: number }) {
    const { t, lang } = useWords();
    const now = useNow();
    if (!at) return <span class={ui.age} />;
    const age = formatAgo(new Date(at), Math.max(now, at), lang);
    const stale = now - at > staleMs;
    return <span class={cx(ui.age, stale && ui.stale)}>{t(stale ? "age.stale" : "age.live", { age })}</span>;
}

/** A moment, and how long ago it was; exact on hover. */
export function Moment({ at }: { at: string }) {
    return (
        <span title={formatExact(at)}>
            {formatTime(at)} <span class="dim">(<Ago at={at} />)</span>
        </span>
    );
}

/** "3 minutes ago", exact on hover: for what is always recent. */
export function Ago({ at }: { at: string }) {
    const { lang } = useWords();
    const now = boxTime(useNow(5000));
    return (
        <time dateTime={at} title={formatExact(at)}>
            {formatAgo(at, Math.max(now, Date.parse(at)), lang)}
        </time>
    );
}

export function Card({ title, aside, children }: { title: string; aside?: ComponentChildren; children: ComponentChildren }) {
    return (
        <section class={ui.card} aria-label={title}>
            <div class={ui.cardHead}>
                <h2>{title}</h2>
                {aside}
            </div>
            {children}
        </section>
    );
}
