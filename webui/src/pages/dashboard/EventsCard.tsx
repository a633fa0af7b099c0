import { boxNow } from "../../api/client";
import { getMarks } from "../../api/load";
import { severityOf, tone } from "../../charts/marks";
import { Card, errorText, Moment } from "../../components/States";
import { useWords } from "../../i18n";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import css from "./dashboard.module.css";

const SHOWN = 8;
const EVERY_MS = 30_000;
/** What the box keeps. */
const KEPT_MS = 731 * 86_400_000;

/** What happened last, whatever the range of the graphs. */
export function EventsCard() {
    const { t, lang } = useWords();
    const { data, error } = useResource("last events", (signal) => getMarks({ from: boxNow() - KEPT_MS, to: boxNow() }, SHOWN, signal), EVERY_MS);
    return (
        <Card title={t("dash.lastEvents")}>
            {error && !data && <p class={css.empty}>{errorText(error, t)}</p>}
            {data?.length === 0 && <p class={css.empty}>{t("dash.noEvents")}</p>}
            <ul class={css.events}>
                {data?.map((event) => (
                    <li key={event.id} class={cx(css[tone(severityOf(event))])}>
                        <b>{event.severity}</b> {lang === "ja" ? event.text_ja : event.text_en}
                        <div class="dim">
                            <Moment at={event.at} />
                        </div>
                    </li>
                ))}
            </ul>
            <a class={css.foot} href="/events">
                {t("dash.allEvents")}
            </a>
        </Card>
    );
}
