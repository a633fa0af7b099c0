import type { RunRow } from "../../api/bench";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { href } from "../../state/router";
import { cx } from "../../utils/cx";
import { formatTime } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { isGood, NONE, outcome, said, targetText } from "./texts";

/** The last run that gave an answer, in its sentence. */
export function Answer({ runs, reader }: { runs: RunRow[]; reader: Reader }) {
    const { t, lang, version } = reader;
    const last = runs.find(isGood);
    if (!last) {
        const isFirst = !runs.some((run) => run.state !== "running");
        return (
            <Card title={t(isFirst ? "bench.first" : "bench.noGood")}>
                <p class={css.body}>{t(isFirst ? "bench.firstHelp" : "bench.noGoodHelp")}</p>
            </Card>
        );
    }
    const about = {
        title: said(last.title, lang) || (last.profile ?? NONE),
        target: targetText(last.target ?? NONE, t),
        at: last.started_at ? formatTime(last.started_at) : NONE,
        version: last.version ?? NONE,
    };
    return (
        <Card title={t("bench.answer")}>
            <div class={css.body}>
                <p class={cx(css.answer, css[outcome(last.state, last.verdict).tone])}>{said(last.answer, lang)}</p>
                <p class="dim">{t("bench.answerAt", about)}</p>
                {last.version !== null && last.version !== version && <p>{t("bench.answerOld", { version })}</p>}
                <div class={ui.actions}>
                    <a class={cx(ui.button, ui.small)} href={href("/benchmark", { run: last.id })}>
                        {t("bench.toReport")}
                    </a>
                </div>
            </div>
        </Card>
    );
}
