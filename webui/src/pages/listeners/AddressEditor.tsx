import { ADDRESSES_MAX, type ListenerState } from "../../api/listeners";
import formCss from "../../components/form.module.css";
import { Card } from "../../components/States";
import ui from "../../components/ui.module.css";
import { useWords, type Key } from "../../i18n";
import { cx } from "../../utils/cx";
import { SettingRow } from "../system/SettingRow";
import { problemOf, rowsOf, textOf, USUAL, type AddressProblem, type AddressRow } from "./addresses";
import css from "./listeners.module.css";
import type { SettingsForm } from "./useSettingsForm";

const TITLE: Record<ListenerState["name"], Key> = { udp: "listen.udpTitle", tcp: "listen.tcpTitle", tls: "listen.tlsTitle" };
const WRONG: Record<AddressProblem, Key> = { address: "listen.wrongAddress", port: "listen.wrongPort", twice: "listen.twice" };

/** Where it listens now, or why not. */
function State({ listener: l, isKnown }: { listener: ListenerState; isKnown: boolean }) {
    const { t } = useWords();
    if (!isKnown) return <p class="dim">{t("listen.unknown")}</p>;
    return (
        <p role="status">
            {l.bound.length > 0 ? t("listen.bound", { addresses: l.bound.join(", ") }) : t(l.wanted === "" ? "listen.off" : "listen.notBound")}
            {l.error && <span class={css.bad}>{` ${l.error}`}</span>}
        </p>
    );
}

interface RowProps {
    name: string;
    number: number;
    row: AddressRow;
    rows: readonly AddressRow[];
    isReadOnly: boolean;
    onChange: (row: AddressRow) => void;
    onRemove: () => void;
}

function Row({ name, number, row, rows, isReadOnly, onChange, onRemove }: RowProps) {
    const { t } = useWords();
    const problem = problemOf(row, rows);
    const id = `${name}-${number}`;
    const common = { readOnly: isReadOnly, spellcheck: false, type: "text", "aria-describedby": problem ? `${id}-error` : undefined };
    return (
        <li class={css.address}>
            <input
                {...common}
                aria-label={t("listen.address", { n: number })}
                aria-invalid={problem === "address" || problem === "twice" ? "true" : undefined}
                value={row.host}
                onInput={(e) => onChange({ ...row, host: e.currentTarget.value })}
            />
            <input
                {...common}
                class={css.port}
                inputMode="numeric"
                aria-label={t("listen.port", { n: number })}
                aria-invalid={problem === "port" ? "true" : undefined}
                value={row.port}
                onInput={(e) => onChange({ ...row, port: e.currentTarget.value })}
            />
            {!isReadOnly && (
                <button type="button" class={ui.button} aria-label={t("listen.remove", { address: textOf([row]) })} onClick={onRemove}>
                    {t("list.remove")}
                </button>
            )}
            {problem && (
                <span id={`${id}-error`} class={cx(formCss.error, css.whole)} role="alert">
                    {t(WRONG[problem])}
                </span>
            )}
        </li>
    );
}

interface Props {
    listener: ListenerState;
    isKnown: boolean;
    form: SettingsForm;
    isAdmin: boolean;
}

/** One listener: its addresses, and how its messages are told apart. */
export function AddressEditor({ listener, isKnown, form, isAdmin }: Props) {
    const { t } = useWords();
    const name = `listen.${listener.name}`;
    const rows = rowsOf(form.text(name));
    const put = (next: readonly AddressRow[]) => form.set(name, textOf(next));
    const refused = form.problem(name);
    const framing = listener.name === "udp" ? undefined : form.setting(`receiver.${listener.name}_framing`);
    return (
        <Card title={t(TITLE[listener.name])}>
            <div class={css.body}>
                <State listener={listener} isKnown={isKnown} />
                <ul class={css.addresses}>
                    {rows.map((row, i) => (
                        <Row
                            key={i}
                            name={name}
                            number={i + 1}
                            row={row}
                            rows={rows}
                            isReadOnly={!isAdmin}
                            onChange={(changed) => put(rows.map((r, j) => (j === i ? changed : r)))}
                            onRemove={() => put(rows.filter((_, j) => j !== i))}
                        />
                    ))}
                </ul>
                {rows.length === 0 && <p class="dim">{t("listen.none")}</p>}
                {refused && (
                    <p class={formCss.error} role="alert">
                        {refused}
                    </p>
                )}
                {isAdmin && rows.length < ADDRESSES_MAX && (
                    <button type="button" class={cx(ui.button, ui.small)} onClick={() => put([...rows, rows.length > 0 ? { host: "", port: "" } : USUAL[listener.name]])}>
                        {t("listen.add", { listener: listener.name.toUpperCase() })}
                    </button>
                )}
            </div>
            {framing && (
                <SettingRow
                    setting={framing}
                    text={form.text(framing.name)}
                    isChanged={framing.name in form.draft}
                    isReadOnly={!isAdmin}
                    error={form.problem(framing.name)}
                    onText={(text) => form.set(framing.name, text)}
                />
            )}
        </Card>
    );
}
