import { useState } from "preact/hooks";
import { getProfiles, type Profile } from "../../api/bench";
import { Card, Failed, Skeleton } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatBytes, formatShort } from "../../utils/format";
import css from "./benchmark.module.css";
import type { Reader } from "./reader";
import { StartDialog } from "./StartDialog";
import { known, lengthText, said } from "./texts";

/** The first question first; profiles that are not known here come last. */
const ORDER = ["ladder", "knee", "mixed", "steady", "soak", "sngbench", "crash"];

function place({ name }: Profile): number {
    const at = ORDER.indexOf(name);
    return at < 0 ? ORDER.length : at;
}

function ProfileCard({ profile, reader, onPrepare }: { profile: Profile; reader: Reader; onPrepare: () => void }) {
    const { t, lang } = reader;
    const name = said(profile.title, lang);
    const { bytes, free_bytes: free, fits } = profile.estimate;
    return (
        <li class={css.profile}>
            <h3>{name}</h3>
            <p>{said(profile.what, lang)}</p>
            <dl>
                <div>
                    <dt>{t("bench.duration")}</dt>
                    <dd>{known(profile.duration_s, (s) => lengthText(s, t))}</dd>
                </div>
                <div>
                    <dt>{t("bench.messages")}</dt>
                    <dd>{known(profile.messages, formatShort)}</dd>
                </div>
                <div>
                    <dt>{t("bench.disk")}</dt>
                    <dd>{formatBytes(bytes)}</dd>
                </div>
            </dl>
            {!fits && <p class={css.bad}>{t("bench.noRoom", { bytes: formatBytes(bytes), free: formatBytes(free) })}</p>}
            {reader.mayRun && (
                <button type="button" class={cx(ui.button, ui.small)} aria-label={t("bench.prepareOf", { name })} onClick={onPrepare}>
                    {t("bench.prepare")}
                </button>
            )}
        </li>
    );
}

/** What can be measured, each with what it takes. */
export function Profiles({ reader }: { reader: Reader }) {
    const { t } = reader;
    const { data, error, reload } = useResource("bench profiles", getProfiles);
    const [chosen, setChosen] = useState<Profile | null>(null);
    const usable = data?.filter((profile) => profile.targets.length > 0).sort((a, b) => place(a) - place(b));
    return (
        <Card title={t("bench.choose")}>
            {error && !data && <Failed error={error} retry={reload} />}
            {!data && !error && <Skeleton heights={[160]} />}
            {usable?.length === 0 && <p class={css.body}>{t("bench.noProfiles")}</p>}
            {!reader.mayRun && <p class={cx(css.body, "dim")}>{t("bench.readOnly")}</p>}
            {usable && usable.length > 0 && (
                <ul class={css.profiles}>
                    {usable.map((profile) => (
                        <ProfileCard key={profile.name} profile={profile} reader={reader} onPrepare={() => setChosen(profile)} />
                    ))}
                </ul>
            )}
            {chosen && <StartDialog profile={chosen} reader={reader} onClose={() => setChosen(null)} />}
        </Card>
    );
}
