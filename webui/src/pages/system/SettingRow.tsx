import type { Setting } from "../../api/types";
import ui from "../../components/ui.module.css";
import { useWords, type Translate } from "../../i18n";
import { asText, type Problem } from "../../state/settingsDraft";
import { cx } from "../../utils/cx";
import { formatCount } from "../../utils/format";
import css from "./system.module.css";
import { unitText } from "./units";

export function problemText(problem: Problem, t: Translate): string {
    switch (problem.kind) {
        case "not_number":
            return t("settings.notNumber");
        case "out_of_range":
            return t("settings.outOfRange", { min: formatCount(problem.min), max: formatCount(problem.max) });
        case "length":
            return t("settings.length", { n: problem.bytes, min: problem.min, max: problem.max });
    }
}

interface Props {
    setting: Setting;
    text: string;
    isChanged: boolean;
    isReadOnly: boolean;
    error: string;
    onText: (text: string) => void;
}

function Control({ setting, text, isReadOnly, error, onText }: Props) {
    const id = `set-${setting.name}`;
    const common = { id, "aria-invalid": error ? ("true" as const) : undefined, "aria-describedby": `${id}-help${error ? ` ${id}-error` : ""}` };
    if (setting.type === "choice")
        return (
            <select {...common} disabled={isReadOnly} value={text} onChange={(e) => onText(e.currentTarget.value)}>
                {setting.choices.map((choice) => (
                    <option key={choice}>{choice}</option>
                ))}
            </select>
        );
    return (
        <input
            {...common}
            type="text"
            inputMode={setting.type === "int" ? "numeric" : "text"}
            spellcheck={false}
            readOnly={isReadOnly}
            value={text}
            onInput={(e) => onText(e.currentTarget.value)}
        />
    );
}

export function SettingRow(props: Props) {
    const { setting, isChanged, isReadOnly, error, text, onText } = props;
    const { t, lang } = useWords();
    const id = `set-${setting.name}`;
    const usual = asText(setting.default);
    const usualShown = setting.type === "int" ? formatCount(Number(usual)) : usual === "" ? t("settings.empty") : usual;
    const facts: string[] = [];
    if (setting.type === "int") facts.push(t("settings.range", { min: formatCount(setting.min), max: formatCount(setting.max) }));
    if (setting.type === "string") facts.push(t("settings.lengthRange", { min: setting.min, max: setting.max }));
    facts.push(t("settings.default", { value: usualShown }));
    if (setting.scope === "restart") facts.push(t("settings.restart"));
    if (setting.scope === "file") facts.push(t("settings.file"));
    return (
        <div class={cx(css.row, isChanged && css.changed)}>
            <div>
                <label for={id}>{setting.name}</label>
                <div id={`${id}-help`}>
                    <div class={css.help}>{lang === "ja" ? setting.help_ja : setting.help_en}</div>
                    <div class={css.facts}>{facts.join(lang === "ja" ? "　" : " · ")}</div>
                </div>
            </div>
            <div class={css.control}>
                <Control {...props} />
                {setting.unit && <span class={css.unit}>{unitText(setting.unit, t)}</span>}
                {!isReadOnly && text !== usual && (
                    <button type="button" class={cx(ui.button, ui.small, ui.bare)} onClick={() => onText(usual)}>
                        {t("settings.toDefault")}
                    </button>
                )}
                {error && (
                    <div id={`${id}-error`} class={css.error} role="alert">
                        {error}
                    </div>
                )}
            </div>
        </div>
    );
}
