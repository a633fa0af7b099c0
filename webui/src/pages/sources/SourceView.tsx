import { useRef, useState } from "preact/hooks";
import { acknowledge, getSource, getSourceSettings, type SourceDetail, type SourceSettings } from "../../api/sources";
import formCss from "../../components/form.module.css";
import { Age, Card, errorText, Failed, Moment, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { href } from "../../state/router";
import { useAct } from "../../state/useAct";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount, formatTime } from "../../utils/format";
import { clause } from "../../utils/query";
import { networkChoices, networkOf, rowInForce } from "./draft";
import { Editor } from "./Editor";
import { HealthCard } from "./HealthCard";
import list from "./list.module.css";
import { Reparse } from "./Reparse";
import type { Offered } from "./SettingFields";
import css from "./settings.module.css";
import { useOffered, useReparses } from "./useOffered";
import { useSettingForm } from "./useSettingForm";

const EVERY_MS = 5000;

function Title({ source, mayChange, onSeen }: { source: SourceDetail; mayChange: boolean; onSeen: () => void }) {
    const { t } = useWords();
    const act = useAct();
    const seen = async () => {
        if (await act.run(() => acknowledge({ addresses: [source.source] }))) onSeen();
    };
    return (
        <>
            {source.is_new && (
                <span class={list.new} title={t("src.newHelp")}>
                    {t("src.new")}
                </span>
            )}
            {source.is_new && mayChange && (
                <button type="button" class={cx(ui.button, ui.small)} disabled={act.isBusy} onClick={() => void seen()}>
                    {t("src.seen")}
                </button>
            )}
            {act.error && <span class={formCss.error}>{errorText(act.error, t)}</span>}
        </>
    );
}

function Facts({ source: s }: { source: SourceDetail }) {
    const { t } = useWords();
    return (
        <Card title={t("src.facts")} aside={<a href={href("/logs", { q: clause("source", s.source), from: "-24h" })}>{t("rates.logs", { name: s.source })}</a>}>
            <div class={css.body}>
                <dl class={css.facts}>
                    <dt>{t("col.last")}</dt>
                    <dd>
                        <Moment at={s.last_heard} />
                    </dd>
                    <dt>{t("col.first")}</dt>
                    <dd>{formatTime(s.first_heard)}</dd>
                    <dt>{t("src.col.day")}</dt>
                    <dd>{t("src.messages", { n: formatCount(s.range.arrived), bytes: formatBytes(s.range.bytes) })}</dd>
                    <dt>{t("src.ever")}</dt>
                    <dd>{t("src.messages", { n: formatCount(s.messages), bytes: formatBytes(s.bytes) })}</dd>
                    <dt>{t("src.group")}</dt>
                    <dd>{s.group.name}</dd>
                    {s.note && <dt>{t("src.note")}</dt>}
                    {s.note && <dd>{s.note}</dd>}
                </dl>
            </div>
        </Card>
    );
}

interface BodyProps {
    source: SourceDetail;
    settings: SourceSettings;
    offered: Offered;
    mayChange: boolean;
    onSettings: (settings: SourceSettings) => void;
}

function Body({ source, settings, offered, mayChange, onSettings }: BodyProps) {
    const { t } = useWords();
    const again = useReparses();
    const inForce = rowInForce(settings.rows, source.source);
    const choices = networkChoices(source.source, inForce && { ...inForce, network: networkOf(inForce.network) ?? inForce.network });
    const form = useSettingForm({ settings, zones: offered.zones, network: choices[0] ?? source.source, onSettings });
    const place = useRef<HTMLDivElement>(null);
    const use = (charset: string) => {
        form.set({ charset });
        place.current?.scrollIntoView({ block: "start" });
        place.current?.querySelector<HTMLElement>("#setting-charset")?.focus({ preventScroll: true });
    };
    const { network } = form.draft;
    return (
        <div class={css.stack}>
            <HealthCard source={source} mayChange={mayChange} onUse={use} />
            <div ref={place} class={css.place}>
                <Card title={t("src.settings")} aside={<a href={href("/sources", { tab: "settings" })}>{t("src.allSettings")}</a>}>
                    <Editor form={form} offered={offered} choices={choices} isReadOnly={!mayChange} since={again.since} />
                </Card>
            </div>
            <Card title={t("src.again.title")}>
                <Reparse
                    network={network}
                    zone={form.inForce?.zone ?? offered.boxZone ?? ""}
                    charset={form.inForce?.charset ?? "UTF-8"}
                    requests={again.requests.filter((r) => choices.includes(networkOf(r.network) ?? ""))}
                    mayChange={mayChange}
                    isUnsaved={form.isChanged}
                    onChange={again.reload}
                />
            </Card>
            <Facts source={source} />
        </div>
    );
}

/** One source: how its messages are understood, what is said of it, and what other settings would make of them. */
export function SourceView({ address, mayChange }: { address: string; mayChange: boolean }) {
    const { t } = useWords();
    const source = useResource(`source ${address}`, (signal) => getSource(address, signal), EVERY_MS);
    const asked = useResource("source settings", getSourceSettings);
    const [newer, setNewer] = useState<SourceSettings | null>(null);
    const offered = useOffered();
    const settings = newer ?? asked.data;
    const error = source.error ?? asked.error;
    const { data } = source;
    const onSettings = (fresh: SourceSettings) => {
        setNewer(fresh);
        source.reload();
    };
    return (
        <>
            <div class={css.title}>
                <a href="/sources">{t("src.back")}</a>
                <h2 class={data?.name ? "" : "mono"}>{data?.name || address}</h2>
                {data?.name && <span class="mono dim">{address}</span>}
                {data && <Title source={data} mayChange={mayChange} onSeen={source.reload} />}
                <Age at={source.at} staleMs={EVERY_MS * 4} />
            </div>
            {error && !(data && settings) && (error.status === 404 ? <p class={ui.note}>{t("src.unheard", { address })}</p> : <Failed error={error} retry={source.reload} />)}
            {!error && !(data && settings) && <Skeleton heights={[240, 280, 120]} />}
            {data && settings && <Body source={data} settings={settings} offered={offered} mayChange={mayChange} onSettings={onSettings} />}
        </>
    );
}
