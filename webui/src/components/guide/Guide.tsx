import { getListeners, type Listeners } from "../../api/listeners";
import { useWords, type Key } from "../../i18n";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { guideLines, isLoopback, plainHost, portOf, type Device, type Ports } from "../../utils/guide";
import { Copy } from "../Copy";
import ui from "../ui.module.css";
import css from "./guide.module.css";

const EVERY_MS = 3_000;

const DEVICES: readonly (readonly [Device, Key])[] = [
    ["cisco", "guide.cisco"],
    ["fortigate", "guide.fortigate"],
    ["linux", "guide.linux"],
    ["linuxTls", "guide.linuxTls"],
    ["yamaha", "guide.yamaha"],
    ["logger", "guide.try"],
];

function Step({ title, lines, hint }: { title: string; lines: string; hint?: string | false }) {
    return (
        <div class={css.step}>
            <div class={css.head}>
                <h3>{title}</h3>
                <Copy text={lines} />
            </div>
            <pre tabIndex={0}>{lines}</pre>
            {hint && <p class={css.hint}>{hint}</p>}
        </div>
    );
}

/** Where the receiver listens; before it has said so, where it is to listen. */
function portsOf({ listeners }: Listeners): Ports {
    const port = (name: string) => {
        const listener = listeners.find((l) => l.name === name);
        return listener ? portOf(listener.bound.length > 0 ? listener.bound.join(",") : listener.wanted) : null;
    };
    return { udp: port("udp"), tcp: port("tcp"), tls: port("tls") };
}

/** What to write into a device so that its logs arrive here. */
export function Lines({ listeners }: { listeners: Listeners }) {
    const { t } = useWords();
    const ports = portsOf(listeners);
    const host = plainHost(location.hostname);
    const lines = guideLines(host, ports);
    const heard = [
        ports.udp !== null && `UDP ${ports.udp}`,
        ports.tcp !== null && `TCP ${ports.tcp}`,
        ports.tls !== null && `TLS ${ports.tls}`,
    ].filter((text) => text !== false);
    const hints: Partial<Record<Device, string | false>> = {
        yamaha: ports.udp !== 514 && t("guide.yamahaPort", { port: ports.udp ?? 0 }),
        linuxTls: t("guide.tlsHint"),
    };
    if (heard.length === 0) return <p>{t("guide.nowhere")}</p>;
    return (
        <>
            <p>{t("guide.intro", { address: host, ports: heard.join(", ") })}</p>
            {isLoopback(host) && <p class={css.hint}>{t("guide.loopback", { address: host })}</p>}
            {DEVICES.map(([device, word]) => {
                const text = lines[device];
                return text && <Step key={device} title={t(word)} lines={text} hint={hints[device]} />;
            })}
        </>
    );
}

/** First use. */
export function Guide() {
    const { t } = useWords();
    const { data } = useResource("listeners", getListeners, EVERY_MS);
    return (
        <section class={cx(ui.card, css.guide)} aria-labelledby="guide">
            <h2 id="guide">{t("guide.title")}</h2>
            {data && <Lines listeners={data} />}
        </section>
    );
}
