import type { Profile, TargetName } from "../../api/bench";
import formCss from "../../components/form.module.css";
import type { Key } from "../../i18n";
import { formatCount } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { BOUNDS, hasOption, OPTIONS, TRANSPORTS, usualOf, type OptionName, type Transport, type Wish } from "./wish";

interface Props {
    profile: Profile;
    wish: Wish;
    reader: Reader;
    onWish: (wish: Wish) => void;
}

const TARGET: Record<TargetName, [Key, Key]> = {
    box: ["bench.target.box", "bench.target.boxHelp"],
    azekura: ["bench.target.private", "bench.target.privateHelp"],
};

/** The box itself, or a private instance beside it. */
export function Targets({ profile, wish, reader: { t }, onWish }: Props) {
    return (
        <fieldset class={css.targets}>
            <legend>{t("bench.target")}</legend>
            {profile.targets.map((name) => (
                <label key={name} class={css.target}>
                    <input type="radio" name="bench-target" checked={wish.target === name} onChange={() => onWish({ ...wish, target: name })} />
                    <span>
                        {t(TARGET[name][0])}
                        <span class={formCss.hint}>{t(TARGET[name][1])}</span>
                    </span>
                </label>
            ))}
        </fieldset>
    );
}

const LABEL: Record<OptionName, Key> = {
    time: "bench.opt.time",
    rates: "bench.opt.rates",
    size: "bench.opt.size",
    runs: "bench.opt.runs",
    connections: "bench.opt.connections",
};

function TransportChoice({ profile, wish, reader: { t }, onWish }: Props) {
    const usual = usualOf(profile, "transport").toUpperCase();
    return (
        <div class={formCss.field}>
            <label for="bench-transport">{t("bench.opt.transport")}</label>
            <select id="bench-transport" value={wish.transport ?? ""} onChange={(e) => onWish({ ...wish, transport: e.currentTarget.value as Transport | "" })}>
                <option value="">{usual ? t("bench.opt.profileIs", { value: usual }) : t("bench.opt.profile")}</option>
                {TRANSPORTS.map((name) => (
                    <option key={name} value={name}>
                        {name.toUpperCase()}
                    </option>
                ))}
            </select>
        </div>
    );
}

/** Those that the profile knows; empty leaves it as the profile says. */
export function Options({ profile, wish, wrong, reader, onWish }: Props & { wrong: OptionName[] }) {
    const { t } = reader;
    const names = OPTIONS.filter((name) => hasOption(profile, name));
    if (names.length === 0) return null;
    const hint = (name: OptionName) => {
        const [min, max] = BOUNDS[name];
        if (wrong.includes(name)) return t("bench.opt.wrong", { min: formatCount(min), max: formatCount(max) });
        const usual = usualOf(profile, name);
        // a size of 0: messages as long as they are
        return usual && usual !== "0" ? t("bench.opt.usualIs", { value: usual }) : t("bench.opt.usual");
    };
    return (
        <fieldset class={css.options}>
            <legend>{t("bench.options")}</legend>
            {names.map((name) => (
                <div key={name} class={formCss.field}>
                    <label for={`bench-${name}`}>{t(LABEL[name])}</label>
                    <input
                        id={`bench-${name}`}
                        type="text"
                        inputMode={name === "rates" ? "text" : "numeric"}
                        autocomplete="off"
                        value={wish[name] ?? ""}
                        aria-invalid={wrong.includes(name) ? "true" : undefined}
                        aria-describedby={`bench-${name}-hint`}
                        onInput={(e) => onWish({ ...wish, [name]: e.currentTarget.value })}
                    />
                    <span id={`bench-${name}-hint`} class={wrong.includes(name) ? formCss.error : formCss.hint}>
                        {hint(name)}
                    </span>
                </div>
            ))}
            {hasOption(profile, "transport") && <TransportChoice profile={profile} wish={wish} reader={reader} onWish={onWish} />}
        </fieldset>
    );
}
