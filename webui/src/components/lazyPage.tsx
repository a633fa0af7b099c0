import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Session } from "../api/types";
import { useWords } from "../i18n";
import { cx } from "../utils/cx";
import { Skeleton } from "./States";
import ui from "./ui.module.css";

type Page = ComponentType<{ session: Session }>;

/** A page whose code is fetched when it is opened first. */
export function lazyPage(load: () => Promise<{ default: Page }>): Page {
    let loaded: Page | null = null;
    return function Lazy({ session }) {
        const { t } = useWords();
        const [Found, setFound] = useState<{ page: Page | null }>({ page: loaded });
        const [failed, setFailed] = useState(false);
        useEffect(() => {
            if (loaded) return;
            let gone = false;
            load().then(
                (module) => {
                    loaded = module.default;
                    if (!gone) setFound({ page: loaded });
                },
                () => {
                    if (!gone) setFailed(true);
                },
            );
            return () => {
                gone = true;
            };
        }, []);
        if (Found.page) return <Found.page session={session} />;
        if (!failed) return <Skeleton heights={[28, 120, 320]} />;
        return (
            <div class={cx(ui.note, ui.noteBad)} role="alert">
                {t("page.notLoaded")}
                <div class={ui.actions}>
                    <button type="button" class={cx(ui.button, ui.small)} onClick={() => location.reload()}>
                        {t("action.retry")}
                    </button>
                </div>
            </div>
        );
    };
}
