import { useState } from "preact/hooks";
import { postDeletion, previewDeletion, type DeletionWish, type Preview } from "../../api/retention";
import { Dialog } from "../../components/Dialog";
import formCss from "../../components/form.module.css";
import { errorText, Failed } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords } from "../../i18n";
import { useAct } from "../../state/useAct";
import { useDeletion } from "../../state/useDeletion";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { formatDays } from "../../utils/days";
import { formatBytes } from "../../utils/format";
import css from "./retention.module.css";
import { countWords, deletionText } from "./texts";
import type { View } from "./view";

const ROWS = 12;

/** What goes, row by row, and what stays although it was asked for. */
function WouldGo({ preview, view, hasOpen }: { preview: Preview; view: View; hasOpen: boolean }) {
    const { t } = useWords();
    const more = preview.deletions.length - ROWS;
    return (
        <>
            {preview.deletions.length === 0 ? (
                <p>{t("del.nothing")}</p>
            ) : (
                <>
                    <p class={css.bad}>{t("del.gone")}</p>
                    <ul class={css.gone}>
                        {preview.deletions.slice(0, ROWS).map((d) => (
                            <li key={`${d.from_day} ${d.group}`}>{deletionText(d, view.reader)}</li>
                        ))}
                        {more > 0 && <li>{t("del.andMore", { n: more })}</li>}
                    </ul>
                    {preview.deletions.length > 1 && <p>{t("del.total", countWords(preview.messages, preview.bytes))}</p>}
                </>
            )}
            {preview.held_bytes > 0 && <p>{t("del.held", { bytes: formatBytes(preview.held_bytes) })}</p>}
            {hasOpen && <p class="dim">{t("del.open")}</p>}
        </>
    );
}

/** How a request goes on until the keeper has answered it. */
function Progress({ id, onEnd, onAgain }: { id: string; onEnd: () => void; onAgain: () => void }) {
    const { t } = useWords();
    const { data, error, reload } = useDeletion(id, onEnd);
    if (data?.state === "done") {
        const { receipt } = data;
        return (
            <p class={css.good} role="status">
                {receipt ? t("del.done", { ...countWords(receipt.messages, receipt.bytes), id: receipt.id }) : data.message}
            </p>
        );
    }
    if (data?.state === "refused") {
        return (
            <div role="alert">
                <p class={css.bad}>{t("del.refused", { message: data.message ?? "" })}</p>
                <button type="button" class={cx(ui.button, ui.small)} onClick={onAgain}>
                    {t("del.again")}
                </button>
            </div>
        );
    }
    return (
        <div role="status">
            <p>{t("del.working")}</p>
            <progress class={css.progress} aria-label={t("del.working")} />
            {error && !data && <Failed error={error} retry={reload} />}
        </div>
    );
}

interface Props {
    view: View;
    wish: DeletionWish;
    onDone: () => void;
    onClose: () => void;
}

/** Preview, a button that names what it destroys, progress, receipt. */
export function DeleteDialog({ view, wish, onDone, onClose }: Props) {
    const { t, lang } = useWords();
    const [round, setRound] = useState(0);
    const [id, setId] = useState<string | null>(null);
    const act = useAct();
    const { data: preview, error, reload } = useResource(`preview ${round}`, (signal) => previewDeletion(wish, signal));
    const days = formatDays(wish.from, wish.to, lang, view.reader.today);
    const again = () => {
        act.clear();
        setId(null);
        setRound(round + 1);
    };
    const destroy = () =>
        void act.run(async () => {
            if (preview) setId((await postDeletion(wish, preview.messages)).id);
        });
    const title = wish.group ? t("del.titleGroup", { days, group: wish.group }) : t("del.title", { days });
    return (
        <Dialog title={title} onClose={onClose}>
            <div class={formCss.form}>
                {error && !preview && <Failed error={error} retry={reload} />}
                {!preview && !error && <p role="status">{t("del.asking")}</p>}
                {preview && !id && <WouldGo preview={preview} view={view} hasOpen={wish.to >= view.reader.today} />}
                {id && <Progress id={id} onEnd={onDone} onAgain={again} />}
                {act.error && (
                    <p class={css.bad} role="alert">
                        {errorText(act.error, t)}
                    </p>
                )}
                <div class={ui.actions}>
                    {preview && !id && preview.messages > 0 && (
                        <button type="button" class={cx(ui.button, formCss.danger)} disabled={act.isBusy} onClick={destroy}>
                            {t("days.delete", { days })}
                        </button>
                    )}
                    {act.error && (
                        <button type="button" class={ui.button} onClick={again}>
                            {t("del.again")}
                        </button>
                    )}
                    <button type="button" class={ui.button} onClick={onClose}>
                        {t(id || preview?.messages === 0 ? "action.close" : "action.cancel")}
                    </button>
                </div>
            </div>
        </Dialog>
    );
}
