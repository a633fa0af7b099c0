import { getSettings } from "../../api/endpoints";
import type { Setting } from "../../api/types";
import { useWords, type Key } from "../../i18n";
import { asText } from "../../state/settingsDraft";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { guideLines, isLoopback, plainHost, portOf, type Device, type Ports } from "../../utils/guide";
import { Copy } from "../Copy";
import ui from "../ui.module.css";
import css from "./guide.module.css";

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

function portsOf(settings: readonly Setting[]): Ports {
    const port = (name: string) => {
        const setting = settings.find((s) => s.name === name);
        return setting ? portOf(asText(setting.value)) : null;
    };
    return { udp: port("listen.udp"), tcp: port("listen.tcp"), tls: port("listen.tls") };
}

/** What to write into a device so that its logs arrive here. */
export function Lines({ settings }: { settings: readonly Setting[] }) {
    const { t } = useWords();
    const ports = portsOf(settings);
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
    const { data } = useResource("settings", getSettings);
    return (
        <section class={cx(ui.card, css.guide)} aria-labelledby="guide">
            <h2 id="guide">{t("guide.title")}</h2>
            {data && <Lines settings={data} />}
        </section>
    );
}
