import type { Policy, Preview } from "../../api/retention";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { SEVERITIES } from "../../utils/severity";
import css from "./retention.module.css";
import { previewText, type Reader } from "./texts";

const NAME: Record<Policy, Key> = { trim: "policy.trim", shed: "policy.shed", borrow: "policy.borrow", warn: "policy.warn" };
const HELP: Record<Policy, Key> = {
    trim: "policy.trimHelp",
    shed: "policy.shedHelp",
    borrow: "policy.borrowHelp",
    warn: "policy.warnHelp",
};

interface Props {
    policy: Policy;
    isChosen: boolean;
    /** What the box does at the moment. */
    isNow: boolean;
    isReadOnly: boolean;
    preview: Preview | undefined;
    isUnknown: boolean;
    reader: Reader;
    shed: string;
    onChoose: () => void;
    onShed: (severity: string) => void;
}

export function PolicyCard({ policy, isChosen, isNow, isReadOnly, preview, isUnknown, reader, shed, onChoose, onShed }: Props) {
    const { t } = useWords();
    const does = preview !== undefined && (preview.deletions.length > 0 || preview.open.length > 0 || preview.shed_from !== null);
    const id = `policy-${policy}`;
    return (
        <div class={cx(css.policy, isChosen && css.policyChosen)}>
            <label for={id}>
                <input
                    id={id}
                    type="radio"
                    name="policy"
                    value={policy}
                    checked={isChosen}
                    disabled={isReadOnly}
                    aria-describedby={`${id}-help ${id}-would`}
                    onChange={onChoose}
                />
                <b>{t(NAME[policy])}</b>
                {isNow && <span class={css.badge}>{t("would.now")}</span>}
            </label>
            <p id={`${id}-help`}>{t(HELP[policy])}</p>
            <p id={`${id}-would`} class={cx(css.would, does && css.does)} aria-live="polite">
                {preview ? previewText(preview, reader) : isUnknown ? t("would.unknown") : "…"}
            </p>
            {policy === "shed" && (
                <label class={css.shed} for="shed-severity">
                    {t("policy.shedFrom")}
                    <select id="shed-severity" disabled={isReadOnly} value={shed} onChange={(e) => onShed(e.currentTarget.value)}>
                        {SEVERITIES.map((name, i) =>
                            i === 0 ? null : (
                                <option key={name} value={String(i)}>
                                    {name}
                                </option>
                            ),
                        )}
                    </select>
                </label>
            )}
        </div>
    );
}
