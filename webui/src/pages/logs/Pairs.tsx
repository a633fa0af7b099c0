import { useState } from "preact/hooks";
import { getLog } from "../../api/endpoints";
import type { Mark, Pair } from "../../api/types";
import { Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { useResource } from "../../state/useResource";
import { visible } from "../../utils/bytes";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { pairField } from "../../utils/query";
import { OnlyNot, type Acts } from "./OnlyNot";
import css from "./detail.module.css";

/** Shown at first: more are rarely looked for. */
const SHOWN = 60;
/** A longer value makes no sensible query. */
const VALUE_MAX = 1000;
const FORMS = { kv: "key=value", cef: "CEF", leef: "LEEF", json: "JSON", sd: "RFC 5424" };

const MARKS: Record<Mark, Key> = {
    truncated: "mark.truncated",
    invalid_utf8: "mark.invalid_utf8",
    no_pri: "mark.no_pri",
    bad_time: "mark.bad_time",
    clock_skew: "mark.clock_skew",
    decoded: "mark.decoded",
};

function PairRow({ pair, ...acts }: Acts & { pair: Pair }) {
    const { t } = useWords();
    const shown = visible(pair.value);
    return (
        <div class={css.field}>
            <dt class="mono">{visible(pair.name)}</dt>
            <dd>
                <span class={cx(css.value, shown === "" && "dim")}>{shown || t("line.empty")}</span>
                {pair.value.length <= VALUE_MAX && <OnlyNot field={pairField(pair.name)} value={pair.value} name={visible(pair.name)} shown={shown} {...acts} />}
            </dd>
        </div>
    );
}

function MarkRow({ mark, ...acts }: Acts & { mark: Mark }) {
    const { t } = useWords();
    const shown = t(MARKS[mark]);
    return (
        <div class={css.field}>
            <dt class="mono">{mark}</dt>
            <dd>
                <span class={css.value}>{shown}</span>
                <OnlyNot field="mark" value={mark} name={t("line.marks")} shown={shown} {...acts} />
            </dd>
        </div>
    );
}

/** What the box reads in a message beside its fields: marks, and names with their values. */
export function Pairs({ id, ...acts }: Acts & { id: string }) {
    const { t } = useWords();
    const [isWhole, setWhole] = useState(false);
    const { data, error, reload } = useResource(`log ${id}`, (signal) => getLog(id, signal));
    if (error && !data) return <Failed error={error} retry={reload} />;
    if (!data) return <Skeleton heights={[48]} />;
    const { marks, pairs, pairs_form: form } = data;
    const shown = isWhole ? pairs : pairs.slice(0, SHOWN);
    return (
        <>
            {marks.length > 0 && (
                <section aria-label={t("line.marks")}>
                    <h3>{t("line.marks")}</h3>
                    <dl class={css.fields}>
                        {marks.map((mark) => (
                            <MarkRow key={mark} mark={mark} {...acts} />
                        ))}
                    </dl>
                </section>
            )}
            {pairs.length > 0 && (
                <section aria-label={t("line.pairs")}>
                    <h3>
                        {t("line.pairs")} {form && <span class={css.form}>{t("line.pairsOf", { form: FORMS[form] })}</span>}
                    </h3>
                    <dl class={css.fields} data-pairs={form ?? ""}>
                        {shown.map((pair, i) => (
                            <PairRow key={i} pair={pair} {...acts} />
                        ))}
                    </dl>
                    {shown.length < pairs.length && (
                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => setWhole(true)}>
                            {t("line.pairsMore", { n: formatCount(pairs.length) })}
                        </button>
                    )}
                </section>
            )}
        </>
    );
}
