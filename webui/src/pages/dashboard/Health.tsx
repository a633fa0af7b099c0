import type { Source } from "../../api/types";
import { Icon } from "../../components/Icon";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { live } from "../../state/live";
import { month } from "../../state/month";
import { health } from "../../state/session";
import { useStore } from "../../state/store";
import { cx } from "../../utils/cx";
import { formatBytes, formatCount } from "../../utils/format";
import css from "./dashboard.module.css";
import { problemsOf, type Problem } from "./problems";

interface Props {
    /** Those unheard for longest first; undefined while unknown. */
    sources: readonly Source[] | undefined;
    nowMs: number;
}

/** Is it all right?  One line that says so, or a line for each thing that is not. */
export function Health({ sources, nowMs }: Props) {
    const { t } = useWords();
    const { receiver, rate, lost, at } = useStore(live);
    const { data, error } = useStore(month);
    const connection = useStore(health);
    const isKnown = at > 0 && lost !== null && data !== undefined && sources !== undefined;
    const isOld = connection !== "good" || error !== null;
    if (!isKnown && !isOld) return <div class={css.healthPlace} />;
    const problems = isKnown ? problemsOf({ receiver, rate, lost, month: data, sources, nowMs }) : [];
    const values = ({ values = {} }: Problem) =>
        Object.fromEntries(Object.entries(values).map(([name, v]) => [name, name === "bytes" ? formatBytes(Number(v)) : typeof v === "number" ? formatCount(v) : v]));
    const isWell = problems.length === 0 && !isOld;
    return (
        <section class={cx(ui.card, css.health, css[isWell ? "isWell" : problems[0]?.tone === "bad" ? "isBad" : "isWarn"])} aria-label={t("health.label")}>
            {isWell && (
                <p>
                    <Icon name="check" />
                    <span>
                        <b>{t("health.well")}</b> <span class="dim">{t("health.wellHelp")}</span>
                    </span>
                </p>
            )}
            {isOld && (
                <p>
                    <Icon name="alert" />
                    <b>{t("health.unknown")}</b>
                </p>
            )}
            {problems.length > 0 && (
                <ul>
                    {problems.map((problem) => (
                        <li key={`${problem.word} ${problem.values?.["group"] ?? ""}`} class={css[problem.tone === "bad" ? "isBad" : "isWarn"]}>
                            <Icon name="alert" />
                            <a href={problem.href}>{t(problem.word, values(problem))}</a>
                        </li>
                    ))}
                </ul>
            )}
        </section>
    );
}
