import type { ComponentChildren } from "preact";
import type { Detail } from "../../api/receiver";
import { Meter } from "../../components/Meter";
import { Card } from "../../components/States";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount, formatRate } from "../../utils/format";
import css from "./way.module.css";
import { fillOf, stageOf, WAY_TONE, type Fill, type StageName, type WayState } from "./stages";

const SAY: Record<WayState, Key> = {
    unknown: "way.unknown",
    away: "way.away",
    silent: "way.silent",
    full: "way.full",
    filling: "way.filling",
    draining: "way.draining",
    slow: "way.slow",
    good: "way.good",
};
const STAGE: Record<StageName, { word: Key; help: Key }> = {
    open: { word: "way.open", help: "way.openHelp" },
    pack: { word: "way.pack", help: "way.packHelp" },
    write: { word: "way.write", help: "way.writeHelp" },
    spool: { word: "way.spool", help: "way.spoolHelp" },
};

interface BoxProps {
    place: string | undefined;
    word: Key;
    help: Key;
    figure: string;
    aside?: string;
    fill?: Fill;
    children?: ComponentChildren;
}

function Box({ place, word, help, figure, aside, fill }: BoxProps) {
    const { t } = useWords();
    return (
        <li class={cx(css.box, place, fill && fill.tone !== "good" && css[fill.tone])}>
            <h3>{t(word)}</h3>
            <p class={css.figure}>
                <b>{figure}</b> {aside}
            </p>
            {fill && (
                <>
                    <Meter share={fill.share} tone={fill.tone} />
                    <p class={css.of}>{t("way.of", { used: formatBytes(fill.used), limit: formatBytes(fill.limit) })}</p>
                </>
            )}
            <p class={css.help}>{t(help)}</p>
        </li>
    );
}

interface Props {
    detail: Detail;
    state: WayState;
    rate: number | null;
    stored: number | null;
}

/** Where messages are between the sockets and the database, as a picture; its order is the order of reading, too. */
export function Way({ detail, state, rate, stored }: Props) {
    const { t } = useWords();
    const stage = (name: StageName) => {
        const s = stageOf(detail, name);
        return (
            <Box
                place={css[name]}
                word={STAGE[name].word}
                help={STAGE[name].help}
                figure={t("way.messages", { n: formatCount(s.messages) })}
                aside={t("way.units", { n: formatCount(s.units) })}
                fill={fillOf(s.bytes, s.limit_bytes, name === "open")}
            />
        );
    };
    const { journal, threads } = detail;
    return (
        <Card title={t("way.title")} aside={<span class="dim">{t("way.threads", { n: threads.lanes, m: threads.packers })}</span>}>
            <p class={cx(css.say, css[WAY_TONE[state]])} role="status">
                {t(SAY[state])}
            </p>
            <ol class={css.way}>
                <Box
                    place={css.sockets}
                    word="way.sockets"
                    help="way.socketsHelp"
                    figure={rate === null ? "–" : t("recv.rate", { n: formatRate(rate) })}
                    aside={t("recv.connectionsN", { n: formatCount(detail.connections.open) })}
                />
                {stage("open")}
                {stage("pack")}
                {stage("write")}
                <Box
                    place={css.database}
                    word="way.database"
                    help="way.databaseHelp"
                    figure={stored === null ? "–" : t("way.messages", { n: formatCount(stored) })}
                    aside={t("way.stored")}
                />
                <Box
                    place={css.journal}
                    word="way.journal"
                    help="way.journalHelp"
                    figure={formatBytes(journal.used)}
                    fill={fillOf(journal.used, journal.bytes)}
                />
                {stage("spool")}
            </ol>
        </Card>
    );
}
