import { useMemo, useState } from "preact/hooks";
import { getDays } from "../../api/retention";
import { Icon } from "../../components/Icon";
import { Card, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { addMonths, formatMonth, monthDays } from "../../utils/days";
import { Calendar } from "./Calendar";
import css from "./days.module.css";
import { DayTable } from "./DayTable";
import { DeleteDialog } from "./DeleteDialog";
import { HoldDialog } from "./HoldDialog";
import { PickedBar } from "./PickedBar";
import { pick, type Picked } from "./pick";
import type { View } from "./view";

const EVERY_MS = 30_000;

interface Props {
    view: View;
    month: string;
    onMonth: (month: string) => void;
}

/** The days of a month: how much each holds; chosen ones can be held or deleted. */
export function Days({ view, month, onMonth }: Props) {
    const { t, lang } = useWords();
    const { data: r } = view;
    const names = useMemo(() => monthDays(month), [month]);
    const days = useResource(`days ${month}`, (signal) => getDays(names[0] ?? "", names.at(-1) ?? "", signal), month === r.month ? EVERY_MS : 0);
    const [picked, setPicked] = useState<Picked | null>(null);
    const [group, setGroup] = useState<string | null>(null);
    const [dialog, setDialog] = useState<"delete" | "hold" | null>(null);
    const oldest = r.months.reduce((a, m) => (m.month < a ? m.month : a), r.month);
    const name = formatMonth(month, lang);
    const hasAny = days.data?.some((d) => d.messages > 0) ?? false;
    const newest = r.months.find((m) => m.messages > 0)?.month;
    const changed = () => {
        days.reload();
        view.reload();
    };
    const turn = (by: number, word: "days.previous" | "days.next", isOff: boolean) => (
        <button type="button" class={cx(ui.button, ui.bare)} disabled={isOff} title={t(word)} aria-label={t(word)} onClick={() => onMonth(addMonths(month, by))}>
            <Icon name={by < 0 ? "fold" : "unfold"} />
        </button>
    );
    return (
        <Card
            title={t("days.title", { month: name })}
            aside={
                <span class={css.turn}>
                    {turn(-1, "days.previous", month <= oldest)}
                    {turn(1, "days.next", month >= r.month)}
                </span>
            }
        >
            {days.error && !days.data && <Failed error={days.error} retry={days.reload} />}
            {!days.data && !days.error && <Skeleton heights={[280]} />}
            {days.data && !hasAny && (
                <div class={css.none}>
                    {t("days.none", { month: name })}
                    {newest && newest !== month && (
                        <button type="button" class={cx(ui.button, ui.small)} onClick={() => onMonth(newest)}>
                            {t("days.newest")}
                        </button>
                    )}
                </div>
            )}
            {days.data && hasAny && (
                <>
                    <Calendar names={names} days={days.data} picked={picked} onPick={(day) => setPicked(pick(picked, day))} />
                    {picked ? (
                        <PickedBar
                            view={view}
                            days={days.data}
                            picked={picked}
                            group={group}
                            onGroup={setGroup}
                            onAct={setDialog}
                            onClear={() => setPicked(null)}
                        />
                    ) : (
                        <p class={css.hint}>{t("days.pick")}</p>
                    )}
                    <DayTable days={days.data} />
                </>
            )}
            {picked && dialog === "delete" && (
                <DeleteDialog
                    view={view}
                    wish={{ from: picked.from, to: picked.to, group }}
                    onDone={changed}
                    onClose={() => setDialog(null)}
                />
            )}
            {picked && dialog === "hold" && (
                <HoldDialog view={view} from={picked.from} to={picked.to} group={group} onDone={changed} onClose={() => setDialog(null)} />
            )}
        </Card>
    );
}
