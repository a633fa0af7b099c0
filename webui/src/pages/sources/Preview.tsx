import { previewSource, type PreviewExample } from "../../api/sources";
import { Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useResource } from "../../state/useResource";
import { visible } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatCount, formatExact, formatTime } from "../../utils/format";
import { differences, segments, type Difference } from "./diff";
import { FIELD } from "./labels";
import css from "./settings.module.css";
import { useTyped } from "./useTyped";

const SETTLE_MS = 400;

function Reading({ difference: d, isAfter }: { difference: Difference; isAfter: boolean }) {
    const { t } = useWords();
    const [text, other] = isAfter ? [d.after, d.before] : [d.before, d.after];
    if (text === "") return <span class="dim">{t("src.preview.nothing")}</span>;
    if (d.field === "reported_at") return <mark title={formatExact(text)}>{formatTime(text)}</mark>;
    return (
        <>
            {segments(text, other).map((s, i) => (s.isDifferent ? <mark key={i}>{visible(s.text)}</mark> : <span key={i}>{visible(s.text)}</span>))}
        </>
    );
}

function Example({ example }: { example: PreviewExample }) {
    const { t } = useWords();
    const list = differences(example);
    return (
        <tbody>
            {list.map((d, i) => (
                <tr key={d.field}>
                    {i === 0 && (
                        <th scope="rowgroup" rowSpan={list.length} class={css.at} title={formatExact(example.received_at)}>
                            {formatTime(example.received_at)}
                        </th>
                    )}
                    <td class={css.field}>{t(FIELD[d.field])}</td>
                    <td class={css.reading}>
                        <span class={css.when}>{t("src.preview.before")}</span>
                        <Reading difference={d} isAfter={false} />
                    </td>
                    <td class={css.reading}>
                        <span class={css.when}>{t("src.preview.after")}</span>
                        <Reading difference={d} isAfter />
                    </td>
                </tr>
            ))}
        </tbody>
    );
}

interface Props {
    network: string;
    zone: string | null;
    charset: string | null;
    /** Changes when messages were parsed again: then it is asked anew. */
    since: string;
}

/** What these settings would make of the newest stored messages: nothing is changed. */
export function Preview({ network, zone, charset, since }: Props) {
    const { t } = useWords();
    const wanted = useTyped(JSON.stringify({ network, zone, charset }), SETTLE_MS);
    const asked = JSON.parse(wanted) as { network: string; zone: string | null; charset: string | null };
    const { data, error, reload } = useResource(`preview ${since} ${wanted}`, (signal) => previewSource(asked.network, asked.zone, asked.charset, signal));
    const fields = data ? Object.entries(data.fields).filter(([, n]) => n > 0) : [];
    return (
        <section class={css.preview} aria-label={t("src.preview.title")} aria-busy={!data}>
            <h3>{t("src.preview.title")}</h3>
            {error && !data && <Failed error={error} retry={reload} />}
            {!data && !error && <Skeleton heights={[24, 120]} />}
            {data && (
                <p role="status" data-changed={data.changed}>
                    {data.examined === 0
                        ? t("src.preview.none")
                        : t(data.changed === 0 ? "src.preview.same" : "src.preview.changed", { n: formatCount(data.examined), changed: formatCount(data.changed) })}
                    {!data.complete && ` ${t("src.preview.incomplete")}`}
                </p>
            )}
            {fields.length > 0 && (
                <p class="dim">
                    {fields.map(([name, n]) => t("src.preview.field", { field: name in FIELD ? t(FIELD[name as keyof typeof FIELD]) : name, n: formatCount(n) })).join(t("word.comma"))}
                </p>
            )}
            {data && data.examples.length > 0 && (
                <div class={cx(ui.scroll, css.examples)} tabIndex={0} role="group" aria-label={t("src.preview.examples")}>
                    <table class={cx(ui.table, css.table)}>
                        <thead>
                            <tr>
                                <th scope="col">{t("src.preview.at")}</th>
                                <th scope="col">{t("src.preview.what")}</th>
                                <th scope="col">{t("src.preview.before")}</th>
                                <th scope="col">{t("src.preview.after")}</th>
                            </tr>
                        </thead>
                        {data.examples.map((example) => (
                            <Example key={example.id} example={example} />
                        ))}
                    </table>
                </div>
            )}
        </section>
    );
}
