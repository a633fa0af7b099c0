import { useMemo } from "preact/hooks";
import type { Session } from "../../api/types";
import { Age } from "../../components/States";
import { Icon } from "../../components/Icon";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useRoute } from "../../state/router";
import { cx } from "../../utils/cx";
import { Compare } from "./Compare";
import { Home } from "./Home";
import { RunView } from "./RunView";
import { RUNS_EVERY_MS, useRuns } from "./useRuns";
import type { Reader } from "./reader";

/** The URL says what is shown: all runs, one (?run=), or two (?a=&b=). */
export function BenchmarkPage({ session }: { session: Session }) {
    const { t, lang } = useWords();
    const { params } = useRoute();
    const { role } = session;
    const { version } = session.box;
    const reader: Reader = useMemo(
        () => ({ t, lang, mayRun: role === "admin", mayDelete: role !== "viewer", version }),
        [t, lang, role, version],
    );
    const id = params.get("run");
    const a = params.get("a");
    const b = params.get("b");
    const isHome = !id && !(a && b);
    const runs = useRuns(isHome);
    return (
        <>
            <div class={ui.pageHead}>
                <h1>{t("nav.benchmark")}</h1>
                {!isHome && (
                    <a class={cx(ui.button, ui.small)} href="/benchmark">
                        <Icon name="fold" />
                        {t("bench.back")}
                    </a>
                )}
                {isHome && <Age at={runs.at} staleMs={RUNS_EVERY_MS * 3} />}
            </div>
            {id && <RunView key={id} id={id} reader={reader} onEnd={runs.reload} />}
            {!id && a && b && <Compare a={a} b={b} reader={reader} />}
            {isHome && <Home runs={runs} reader={reader} />}
        </>
    );
}
