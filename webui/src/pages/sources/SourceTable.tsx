import { boxNow } from "../../api/client";
import type { Source } from "../../api/types";
import { BenchmarkTag } from "../../components/BenchmarkTag";
import { Ago } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { isOfBenchmark, useBenchNetwork } from "../../state/benchNetwork";
import { cx } from "../../utils/cx";
import { formatCount, formatShort } from "../../utils/format";
import { FormatBar } from "./FormatBar";
import css from "./list.module.css";
import { framingWord } from "./labels";
import { Signs } from "./Signs";
import { SILENT_MS } from "./table";
import { sourceHref } from "./view";

function Row({ source: s, bench }: { source: Source; bench: string | null }) {
    const { t } = useWords();
    const isSilent = boxNow() - Date.parse(s.last_heard) > SILENT_MS;
    const dash = <span class="dim">{"–"}</span>;
    return (
        <tr data-source={s.source}>
            <th scope="row" class={css.who}>
                <span class={css.first}>
                    <a class={s.name ? "" : "mono"} href={sourceHref(s.source)}>
                        {s.name || s.source}
                    </a>
                    {s.is_new && (
                        <span class={css.new} title={t("src.newHelp")}>
                            {t("src.new")}
                        </span>
                    )}
                    {isOfBenchmark(s.source, bench) && <BenchmarkTag />}
                </span>
                {s.name && <span class={cx("mono", "dim", css.second)}>{s.source}</span>}
            </th>
            <td>
                <Signs source={s} />
            </td>
            <td>{s.health ? <FormatBar formats={s.health.formats} /> : dash}</td>
            <td class={isSilent ? css.late : ""}>
                <Ago at={s.last_heard} />
                {isSilent && <span class={css.silent}>{t("rates.silent")}</span>}
            </td>
            <td class={ui.num} title={formatCount(s.range.arrived)}>
                {formatShort(s.range.arrived)}
            </td>
            <td>{s.zone ?? dash}</td>
            <td>{s.charset ?? dash}</td>
            <td>{s.framing ? t(framingWord(s.framing)) : dash}</td>
            <td>{s.group.name}</td>
        </tr>
    );
}

export function SourceTable({ rows }: { rows: readonly Source[] }) {
    const { t } = useWords();
    const bench = useBenchNetwork();
    return (
        <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("src.tab.sources")}>
            <table class={cx(ui.table, css.table)}>
                <thead>
                    <tr>
                        <th scope="col">{t("src.col.source")}</th>
                        <th scope="col">{t("src.col.health")}</th>
                        <th scope="col" title={t("src.col.formatsHelp")}>
                            {t("src.col.formats")}
                        </th>
                        <th scope="col">{t("col.last")}</th>
                        <th scope="col" class={ui.num} title={t("src.col.dayHelp")}>
                            {t("src.col.day")}
                        </th>
                        <th scope="col">{t("src.zone")}</th>
                        <th scope="col">{t("src.charset")}</th>
                        <th scope="col">{t("src.framing")}</th>
                        <th scope="col">{t("src.group")}</th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map((s) => (
                        <Row key={s.source} source={s} bench={bench} />
                    ))}
                </tbody>
            </table>
        </div>
    );
}
