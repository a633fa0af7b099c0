import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Session } from "../../api/types";
import { useWords } from "../../i18n";
import { live, useLive } from "../../state/live";
import { useMonth } from "../../state/month";
import { health } from "../../state/session";
import { useStore } from "../../state/store";
import { useNow } from "../../state/useNow";
import { cx } from "../../utils/cx";
import { formatAgo } from "../../utils/format";
import { Header } from "./Header";
import { Nav } from "./Nav";
import css from "./shell.module.css";

/** What is wrong between this page and the box, until it is right again. */
function Banner() {
    const { t, lang } = useWords();
    const state = useStore(health);
    const { at } = useStore(live);
    const now = useNow();
    if (state === "good") return null;
    const age = formatAgo(new Date(at || now), now, lang);
    return (
        <div class={css.banner} role="status">
            {state === "unreachable" ? t("lost.unreachable", { age }) : t("lost.database")}
        </div>
    );
}

export function Shell({ session, path, children }: { session: Session; path: string; children: ComponentChildren }) {
    const { t } = useWords();
    const [isFolded, setFolded] = useState(innerWidth < 1000);
    useLive();
    useMonth();
    return (
        <div class={cx(css.shell, isFolded && css.folded)}>
            <a class={css.skip} href="#page">
                {t("app.skip")}
            </a>
            <Header session={session} />
            <Nav path={path} isFolded={isFolded} onFold={() => setFolded(!isFolded)} />
            <main class={css.page} id="page" tabIndex={-1}>
                <Banner />
                {children}
            </main>
        </div>
    );
}
