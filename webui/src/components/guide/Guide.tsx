import { getSettings } from "../../api/endpoints";
import { useWords } from "../../i18n";
import { asText } from "../../state/settingsDraft";
import { useResource } from "../../state/useResource";
import { cx } from "../../utils/cx";
import { guideLines, isLoopback, plainHost, portOf } from "../../utils/guide";
import { Copy } from "../Copy";
import ui from "../ui.module.css";
import css from "./guide.module.css";

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

/** First use: what to write into a device so that its logs arrive here. */
export function Guide() {
    const { t } = useWords();
    const { data } = useResource("settings", getSettings);
    const listen = data?.find((s) => s.name === "listen.udp");
    const port = listen ? portOf(asText(listen.value)) : 514;
    const host = plainHost(location.hostname);
    const lines = guideLines(host, port);
    return (
        <section class={cx(ui.card, css.guide)} aria-labelledby="guide">
            <h2 id="guide">{t("guide.title")}</h2>
            <p>{t("guide.intro", { address: host, port })}</p>
            {isLoopback(host) && <p class={css.hint}>{t("guide.loopback", { address: host })}</p>}
            <Step title={t("guide.cisco")} lines={lines.cisco} />
            <Step title={t("guide.linux")} lines={lines.linux} />
            <Step title={t("guide.yamaha")} lines={lines.yamaha} hint={port !== 514 && t("guide.yamahaPort", { port })} />
            <Step title={t("guide.try")} lines={lines.logger} />
        </section>
    );
}
