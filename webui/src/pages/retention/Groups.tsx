import { useState } from "preact/hooks";
import { deleteGroup, type SourceGroup } from "../../api/retention";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import { formatPercent, percentOf } from "../../utils/figures";
import { formatBytes } from "../../utils/format";
import { Ask } from "../../components/Ask";
import { GroupDialog } from "./GroupDialog";
import css from "./retention.module.css";
import { keepText, severitiesFrom } from "./texts";
import type { View } from "./view";

function Members({ group }: { group: SourceGroup }) {
    const { t } = useWords();
    const shown = group.members.slice(0, 4);
    if (group.id === 0) return <span class="dim">{t("groups.others")}</span>;
    if (group.retired) return <span class="dim">{t("groups.retired")}</span>;
    return (
        <span class={cx("mono", css.members)} title={group.members.join("\n")}>
            {shown.join(" ")}
            {group.members.length > shown.length && ` +${group.members.length - shown.length}`}
        </span>
    );
}

function Row({ group, budget, mayChange, onEdit, onRemove }: { group: SourceGroup; budget: number; mayChange: boolean; onEdit: () => void; onRemove: () => void }) {
    const { t } = useWords();
    const limit = group.quota_bytes ?? budget;
    const quota =
        group.quota_percent === null
            ? t("groups.noQuota")
            : t("groups.quotaOf", { percent: formatPercent(group.quota_percent), bytes: formatBytes(group.quota_bytes ?? 0) });
    return (
        <tr>
            <th scope="row">
                {group.name}
                {group.shed_from && <div class={css.bad}>{t("groups.shed", { severities: severitiesFrom(group.shed_from, t) })}</div>}
            </th>
            <td>
                <Members group={group} />
            </td>
            <td class={ui.num}>
                {formatBytes(group.month_bytes)}
                <span class={cx(css.meter, group.month_bytes > limit && css.meterOver)}>
                    <span style={{ width: `${Math.min(100, percentOf(group.month_bytes, limit))}%` }} />
                </span>
            </td>
            <td>{quota}</td>
            <td>{keepText(group, t)}</td>
            {mayChange && (
                <td class={css.rowActs}>
                    {!group.retired && (
                        <button type="button" class={cx(ui.button, ui.small)} onClick={onEdit}>
                            {t("groups.edit")} <span class="visually-hidden">{group.name}</span>
                        </button>
                    )}
                    {!group.retired && group.id !== 0 && (
                        <button type="button" class={cx(ui.button, ui.small)} onClick={onRemove}>
                            {t("groups.removeShort")} <span class="visually-hidden">{group.name}</span>
                        </button>
                    )}
                </td>
            )}
        </tr>
    );
}

export function Groups({ view }: { view: View }) {
    const { t } = useWords();
    const { data: r, mayChange } = view;
    const [edited, setEdited] = useState<SourceGroup | "new" | null>(null);
    const [removed, setRemoved] = useState<SourceGroup | null>(null);
    return (
        <div class={css.grid}>
            <p class={ui.note}>{t("groups.intro")}</p>
            <Card
                title={t("groups.title")}
                aside={
                    mayChange && (
                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => setEdited("new")}>
                            {t("groups.add")}
                        </button>
                    )
                }
            >
                <div class={ui.scroll} tabIndex={0} role="group" aria-label={t("groups.title")}>
                    <table class={ui.table}>
                        <thead>
                            <tr>
                                <th scope="col">{t("groups.name")}</th>
                                <th scope="col">{t("groups.members")}</th>
                                <th scope="col" class={ui.num}>
                                    {t("groups.used")}
                                </th>
                                <th scope="col">{t("groups.quota")}</th>
                                <th scope="col">{t("groups.keep")}</th>
                                {mayChange && <td />}
                            </tr>
                        </thead>
                        <tbody>
                            {r.groups.map((group) => (
                                <Row
                                    key={group.id}
                                    group={group}
                                    budget={r.budget_bytes}
                                    mayChange={mayChange}
                                    onEdit={() => setEdited(group)}
                                    onRemove={() => setRemoved(group)}
                                />
                            ))}
                        </tbody>
                    </table>
                </div>
            </Card>
            {edited && <GroupDialog group={edited === "new" ? null : edited} onDone={view.reload} onClose={() => setEdited(null)} />}
            {removed && (
                <Ask
                    title={t("groups.removeTitle", { name: removed.name })}
                    help={t("groups.removeHelp")}
                    button={t("groups.remove")}
                    act={() => deleteGroup(removed.id)}
                    onDone={view.reload}
                    onClose={() => setRemoved(null)}
                />
            )}
        </div>
    );
}
