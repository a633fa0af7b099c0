import type { RecentMessage, SourceDetail } from "../../api/sources";
import { Card, Moment } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { href } from "../../state/router";
import { visible } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatCount, formatTime } from "../../utils/format";
import { clause } from "../../utils/query";
import { FormatBar } from "./FormatBar";
import { clockState, messagesOf, offText, shareText, suggestion } from "./health";
import css from "./settings.module.css";
import { Signs } from "./Signs";

/** The line among those around it. */
function lineHref(source: string, message: RecentMessage): string {
    const at = Date.parse(message.received_at);
    const range = { from: new Date(at - 60_000).toISOString(), to: new Date(at + 60_000).toISOString() };
    return href("/logs", { q: clause("source", source), ...range });
}

function Recent({ source, word, message }: { source: string; word: Key; message: RecentMessage | null }) {
    const { t } = useWords();
    return (
        <>
            <dt>{t(word)}</dt>
            <dd>
                {message ? (
                    <>
                        <Moment at={message.received_at} />
                        <a href={lineHref(source, message)}>{t("src.health.inLogs")}</a>
                        <pre class={css.quoted} tabIndex={0}>
                            {visible(message.message)}
                        </pre>
                    </>
                ) : (
                    <span class="dim">{t("src.health.never")}</span>
                )}
            </dd>
        </>
    );
}

function Clock({ skewUs }: { skewUs: number | null }) {
    const { t } = useWords();
    const state = clockState(skewUs);
    if (skewUs === null) return <span class="dim">{t("src.clock.unknown")}</span>;
    const off = offText(skewUs);
    if (state === "right") return <span>{t(off === "0 s" ? "src.clock.same" : skewUs > 0 ? "src.clock.ahead" : "src.clock.behind", { off })}</span>;
    return (
        <>
            <span class={css.warn}>{t(skewUs > 0 ? "src.clock.ahead" : "src.clock.behind", { off })}</span>
            <span class={css.hint}>{t(state === "zone" ? "src.clock.zoneHint" : "src.clock.wrongHint")}</span>
        </>
    );
}

interface Props {
    source: SourceDetail;
    mayChange: boolean;
    /** Put this charset into the form. */
    onUse: (charset: string) => void;
}

function Text({ source, mayChange, onUse }: Props) {
    const { t } = useWords();
    const { health, charset } = source;
    if (!health) return null;
    const total = messagesOf(health);
    const guess = suggestion(health, charset);
    return (
        <>
            <span>{t("src.health.readAs", { charset: charset ?? "UTF-8" })}</span>
            {health.decoded > 0 && <span>{t("src.health.decoded", { share: shareText(health.decoded, total) })}</span>}
            {health.undecodable > 0 && charset && <span class={css.warn}>{t("src.sign.undecodable", { charset, share: shareText(health.undecodable, total) })}</span>}
            {health.invalid_utf8 > 0 && <span class={css.warn}>{t("src.sign.notUtf8", { share: shareText(health.invalid_utf8, total) })}</span>}
            {guess && (
                <span class={css.hint}>
                    {t("src.health.guess", { charset: guess.name, percent: guess.percent })}{" "}
                    {mayChange && (
                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => onUse(guess.name)}>
                            {t("src.health.use", { charset: guess.name })}
                        </button>
                    )}
                </span>
            )}
        </>
    );
}

/** How the messages of one source were understood. */
export function HealthCard(props: Props) {
    const { t } = useWords();
    const { source } = props;
    const { health, recent } = source;
    const total = health ? messagesOf(health) : 0;
    return (
        <Card title={t("src.health.title")} aside={health && <span class="dim">{t("src.health.since", { n: formatCount(total), at: formatTime(health.since) })}</span>}>
            <div class={css.body}>
                {!health && <p class="dim">{t("src.health.none")}</p>}
                {health && (
                    <dl class={css.facts}>
                        <dt>{t("src.col.health")}</dt>
                        <dd>
                            <Signs source={source} />
                        </dd>
                        <dt>{t("src.col.formats")}</dt>
                        <dd>
                            <FormatBar formats={health.formats} isLarge />
                        </dd>
                        <dt>{t("src.health.clock")}</dt>
                        <dd>
                            <Clock skewUs={health.skew_us} />
                        </dd>
                        <dt>{t("src.health.text")}</dt>
                        <dd>
                            <Text {...props} />
                        </dd>
                        <Recent source={source.source} word="src.health.lastRaw" message={recent.last_raw} />
                        <Recent source={source.source} word="src.health.lastInvalid" message={recent.last_invalid} />
                    </dl>
                )}
            </div>
        </Card>
    );
}
