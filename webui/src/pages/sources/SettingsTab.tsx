import { useState } from "preact/hooks";
import { getSourceSettings, type SourceSetting, type SourceSettings } from "../../api/sources";
import { Card, Failed, Moment, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { href, navigate, useRoute } from "../../state/router";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import { networkOf } from "./draft";
import { Editor } from "./Editor";
import { framingWord } from "./labels";
import list from "./list.module.css";
import { Reparse } from "./Reparse";
import type { Offered } from "./SettingFields";
import css from "./settings.module.css";
import { useOffered, useReparses } from "./useOffered";
import { useSettingForm } from "./useSettingForm";
import { settingHref } from "./view";

const NEW = "new";

function Row({ row, isChosen }: { row: SourceSetting; isChosen: boolean }) {
    const { t } = useWords();
    const dash = <span class="dim">{"–"}</span>;
    return (
        <tr aria-current={isChosen ? "true" : undefined}>
            <th scope="row" class={list.who}>
                <a class="mono" href={settingHref(row.network)}>
                    {row.network}
                </a>
                {row.name && <span class={list.second}>{row.name}</span>}
            </th>
            <td>{row.zone ?? dash}</td>
            <td>{row.charset ?? dash}</td>
            <td>{row.framing ? t(framingWord(row.framing)) : dash}</td>
            <td>{row.source_group?.name ?? dash}</td>
            <td class={ui.num}>{formatCount(row.sources)}</td>
            <td>{row.note || dash}</td>
            <td>
                <Moment at={row.changed_at} /> <span class="dim">{row.changed_by.replace(/^account:/, "")}</span>
            </td>
        </tr>
    );
}

function Rows({ rows, chosen }: { rows: readonly SourceSetting[]; chosen: string }) {
    const { t } = useWords();
    return (
        <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("src.rows")}>
            <table class={cx(ui.table, list.table)}>
                <thead>
                    <tr>
                        <th scope="col">{t("src.for")}</th>
                        <th scope="col">{t("src.zone")}</th>
                        <th scope="col">{t("src.charset")}</th>
                        <th scope="col">{t("src.framing")}</th>
                        <th scope="col">{t("src.group")}</th>
                        <th scope="col" class={ui.num}>
                            {t("src.tab.sources")}
                        </th>
                        <th scope="col">{t("src.note")}</th>
                        <th scope="col">{t("src.changed")}</th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row) => (
                        <Row key={row.network} row={row} isChosen={row.network === chosen} />
                    ))}
                </tbody>
            </table>
        </div>
    );
}

interface ChosenProps {
    /** "": a new row. */
    network: string;
    settings: SourceSettings;
    offered: Offered;
    mayChange: boolean;
    onSettings: (settings: SourceSettings) => void;
    onClose: () => void;
}

function Chosen({ network, settings, offered, mayChange, onSettings, onClose }: ChosenProps) {
    const { t } = useWords();
    const again = useReparses();
    const form = useSettingForm({ settings, zones: offered.zones, network, onSettings });
    const of = networkOf(network);
    return (
        <>
            <Card title={network === "" ? t("src.add") : t("src.settingsOf", { network })}>
                <Editor form={form} offered={offered} choices={network === "" ? null : [network]} isReadOnly={!mayChange} since={again.since} onClose={onClose} />
            </Card>
            {form.row && network !== "" && (
                <Card title={t("src.again.title")}>
                    <Reparse
                        network={network}
                        zone={form.row.zone ?? offered.boxZone ?? ""}
                        charset={form.row.charset ?? "UTF-8"}
                        requests={again.requests.filter((r) => networkOf(r.network) === of)}
                        mayChange={mayChange}
                        isUnsaved={form.isChanged}
                        onChange={again.reload}
                    />
                </Card>
            )}
        </>
    );
}

/** What is said of sources, a row a network. */
export function SettingsTab({ mayChange }: { mayChange: boolean }) {
    const { t } = useWords();
    const { path, params } = useRoute();
    const asked = useResource("source settings", getSourceSettings);
    const [newer, setNewer] = useState<SourceSettings | null>(null);
    const offered = useOffered();
    const settings = newer ?? asked.data;
    const chosen = params.get("network");
    const go = (network: string | null) => navigate(href(path, { tab: "settings", ...(network === null ? {} : { network }) }));
    if (!settings) return asked.error ? <Failed error={asked.error} retry={asked.reload} /> : <Skeleton heights={[60, 240]} />;
    return (
        <div class={css.stack}>
            <p class={ui.note}>{t("src.intro")}</p>
            {chosen !== null && (
                <Chosen
                    key={chosen}
                    network={chosen === NEW ? "" : chosen}
                    settings={settings}
                    offered={offered}
                    mayChange={mayChange}
                    onSettings={setNewer}
                    onClose={() => go(null)}
                />
            )}
            <Card
                title={t("src.rows")}
                aside={
                    mayChange && chosen !== NEW ? (
                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => go(NEW)}>
                            {t("src.add")}
                        </button>
                    ) : undefined
                }
            >
                {settings.rows.length === 0 ? (
                    <p class={css.body}>{t("src.noRows")}</p>
                ) : (
                    <Rows rows={settings.rows} chosen={chosen ?? ""} />
                )}
            </Card>
        </div>
    );
}
