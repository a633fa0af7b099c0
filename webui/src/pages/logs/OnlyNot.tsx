import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { cx } from "../../utils/cx";
import css from "./detail.module.css";

export interface Acts {
    onOnly: (field: string, value: string) => void;
    onNot: (field: string, value: string) => void;
}

interface Props extends Acts {
    /** Its name in a query. */
    field: string;
    value: string;
    /** The same for people. */
    name: string;
    shown: string;
}

/** Only this, not this: beside a value. */
export function OnlyNot({ field, value, name, shown, onOnly, onNot }: Props) {
    const { t } = useWords();
    return (
        <span class={css.acts} role="group" aria-label={t("line.actions", { field: name, value: shown })}>
            <button type="button" class={cx(ui.button, ui.small, ui.bare)} onClick={() => onOnly(field, value)}>
                {t("line.only")}
            </button>
            <button type="button" class={cx(ui.button, ui.small, ui.bare)} onClick={() => onNot(field, value)}>
                {t("line.not")}
            </button>
        </span>
    );
}
