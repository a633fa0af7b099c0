import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { href, navigate, useRoute } from "../../state/router";
import { isMonth } from "../../utils/days";
import { Days } from "./Days";
import { Figures } from "./Figures";
import { Months } from "./Months";
import css from "./retention.module.css";
import { Storage } from "./Storage";
import { isEmpty } from "./texts";
import type { View } from "./view";

export function Overview({ view }: { view: View }) {
    const { t } = useWords();
    const { path, params } = useRoute();
    const { data } = view;
    const asked = params.get("month") ?? "";
    const month = isMonth(asked) ? asked : data.month;
    const choose = (next: string) => navigate(href(path, next === data.month ? {} : { month: next }), { replace: true });
    return (
        <div class={css.grid}>
            {isEmpty(data) && (
                <p class={ui.note}>
                    {t("ret.first")} <a href="/">{t("ret.firstGuide")}</a>
                </p>
            )}
            <Figures view={view} />
            <Storage data={data} />
            {!isEmpty(data) && (
                <>
                    <Months view={view} chosen={month} onChoose={choose} />
                    <Days key={month} view={view} month={month} onMonth={choose} />
                </>
            )}
        </div>
    );
}
