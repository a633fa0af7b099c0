import { Component, type ComponentChildren } from "preact";
import { useWords } from "../i18n";
import { cx } from "../utils/cx";
import ui from "./ui.module.css";

function Broken({ message, again }: { message: string; again: () => void }) {
    const { t } = useWords();
    return (
        <div class={cx(ui.note, ui.noteBad)} role="alert">
            <strong>{t("page.broken")}</strong>
            <p>{t("page.brokenHelp", { message })}</p>
            <div class={ui.actions}>
                <button type="button" class={cx(ui.button, ui.small)} onClick={again}>
                    {t("action.retry")}
                </button>
            </div>
        </div>
    );
}

interface Props {
    /** Names what is shown: another view is tried anew. */
    of: string;
    children: ComponentChildren;
}

interface State {
    message: string | null;
}

/**
 * What a fault of a view breaks: this view, and nothing around it.  Without it Preact leaves a half-drawn page that
 * throws at every renewal.
 */
export class Boundary extends Component<Props, State> {
    override state: State = { message: null };

    static override getDerivedStateFromError(cause: unknown): State {
        return { message: cause instanceof Error ? cause.message : String(cause) };
    }

    override componentDidCatch(cause: unknown): void {
        reportError(cause);
    }

    override componentDidUpdate(before: Props): void {
        if (before.of !== this.props.of && this.state.message !== null) this.setState({ message: null });
    }

    override render() {
        const { message } = this.state;
        return message === null ? this.props.children : <Broken message={message} again={() => this.setState({ message: null })} />;
    }
}
