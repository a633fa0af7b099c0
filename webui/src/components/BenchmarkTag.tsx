import { useWords } from "../i18n";
import ui from "./ui.module.css";

/** Beside what a benchmark sent, so that nobody takes it for a device's log. */
export function BenchmarkTag() {
    const { t } = useWords();
    return (
        <span class={ui.tag} title={t("mark.benchmarkHelp")}>
            {t("mark.benchmark")}
        </span>
    );
}
