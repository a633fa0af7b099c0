import type { Source, Sources } from "../../api/types";
import { Icon } from "../../components/Icon";
import { Card, Moment } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { href } from "../../state/router";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { clause } from "../../utils/query";
import css from "./dashboard.module.css";

const SHOWN = 8;
export const SILENT_MS = 3_600_000;

export function logsOf(source: string, from?: string): string {
    return href("/logs", { q: clause("source", source), ...(from ? { from } : {}) });
}

/** Its logs, and what is known and said of it. */
function Who({ source, from }: { source: Source; from: string }) {
    const { t } = useWords();
    const about = t("dash.aboutSource", { source: source.source });
    return (
        <th scope="row">
            <a class="mono" href={logsOf(source.source, from)}>
                {source.source}
            </a>
            {source.name && <span class={cx("dim", css.known)}>{source.name}</span>}
            <a class={css.about} href={href("/sources", { tab: "source", source: source.source })} title={about} aria-label={about}>
                <Icon name="sources" />
            </a>
        </th>
    );
}

export function BusiestCard({ sources }: { sources: Sources }) {
    const { t } = useWords();
    const rows = sources.sources.filter((s) => s.range.arrived > 0);
    const total = rows.reduce((sum, s) => sum + s.range.arrived, 0);
    return (
        <Card title={t("dash.busiest")} aside={<span class="dim">{t("dash.lastHour")}</span>}>
            {rows.length === 0 ? (
                <p class={css.empty}>{t("dash.noRates")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("dash.busiest")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("dash.address")}</th>
                                <th scope="col" class={ui.num}>
                                    {t("dash.messages")}
                                </th>
                                <th scope="col" class={cx(ui.num, css.share)}>
                                    {t("dash.share")}
                                </th>
                            </tr>
                        </thead>
                        <tbody>
                            {rows.slice(0, SHOWN).map((s) => (
                                <tr key={s.source}>
                                    <Who source={s} from="-1h" />
                                    <td class={ui.num}>{formatCount(s.range.arrived)}</td>
                                    <td class={cx(ui.num, css.share)} title={`${((s.range.arrived / total) * 100).toFixed(1)} %`}>
                                        <span class={css.bar}>
                                            <span style={{ width: `${(s.range.arrived / total) * 100}%` }} />
                                        </span>
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
            <a class={css.foot} href="/sources">
                {t("dash.allSources")}
            </a>
        </Card>
    );
}

export function SilentCard({ sources, nowMs }: { sources: Source[]; nowMs: number }) {
    const { t } = useWords();
    const rows = sources.filter((s) => nowMs - Date.parse(s.last_heard) > SILENT_MS);
    return (
        <Card title={t("dash.silent")}>
            {rows.length === 0 ? (
                <p class={css.empty}>{t("dash.silentNone")}</p>
            ) : (
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("dash.silent")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("dash.address")}</th>
                                <th scope="col">{t("dash.lastHeard")}</th>
                                <th scope="col" class={cx(ui.num, css.share)}>
                                    {t("dash.messages")}
                                </th>
                            </tr>
                        </thead>
                        <tbody>
                            {rows.slice(0, SHOWN).map((s) => (
                                <tr key={s.source}>
                                    <Who source={s} from="-30d" />
                                    <td>
                                        <Moment at={s.last_heard} />
                                    </td>
                                    <td class={cx(ui.num, css.share)}>{formatCount(s.messages)}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </Card>
    );
}
