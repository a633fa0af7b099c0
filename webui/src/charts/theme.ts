/* Colours for the canvas, from the same CSS variables as the page. */
export interface ChartColors {
    text: string;
    grid: string;
    surface: string;
    listeners: Record<"udp" | "tcp" | "tls", string>;
    severities: string[];
    /** The receiver's process and the database's, and further lines in their order. */
    syslog: string;
    db: string;
    lines: [string, string, string, string, string, string];
    /** Full load, budget, capacity. */
    limit: string;
    lost: string;
    marks: Record<"bad" | "warn" | "info", string>;
}

export function chartColors(): ChartColors {
    const css = getComputedStyle(document.documentElement);
    const get = (name: string) => css.getPropertyValue(name).trim();
    return {
        text: get("--text-dim"),
        grid: get("--line-soft"),
        surface: get("--surface"),
        listeners: { udp: get("--series-udp"), tcp: get("--series-tcp"), tls: get("--series-tls") },
        severities: [0, 1, 2, 3, 4, 5, 6, 7].map((s) => get(`--sev-${s}`)),
        syslog: get("--series-syslog"),
        db: get("--series-db"),
        lines: [get("--series-udp"), get("--series-warm"), get("--series-tls"), get("--series-tcp"), get("--series-db"), get("--series-syslog")],
        limit: get("--text"),
        lost: get("--bad"),
        marks: { bad: get("--bad"), warn: get("--warn"), info: get("--accent") },
    };
}

export const CHART_FONT = '11px system-ui, "Noto Sans JP", "Hiragino Sans", "Yu Gothic UI", sans-serif';

/** At most three lines above zero; never less than 1 high, and whole numbers where counts are shown. */
export function threeTicks(max: number, areWhole = false): number[] {
    if (!(max > 1)) return areWhole ? [0, 1] : [0, 0.5, 1];
    const rough = areWhole ? Math.max(max / 3, 1) : max / 3;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((m) => m * power).find((s) => s * 3 >= max && (!areWhole || Number.isInteger(s))) ?? power * 10;
    const out: number[] = [];
    for (let tick = 0; tick <= step * 3 + step / 1e6; tick += step) out.push(Math.round(tick * 1e6) / 1e6);
    return out;
}

const pad = (n: number) => String(n).padStart(2, "0");

/** Labels of a time axis: 24 hours, seconds only where they differ, the day at midnight and on long ranges. */
export function timeLabels(seconds: readonly number[], stepS: number): string[] {
    let day = "";
    return seconds.map((s) => {
        const d = new Date(s * 1000);
        const date = `${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
        const clock = `${pad(d.getHours())}:${pad(d.getMinutes())}`;
        if (stepS >= 86_400) return date;
        if (stepS < 60) return `${clock}:${pad(d.getSeconds())}`;
        const midnight = clock === "00:00" && date !== day;
        day = date;
        return midnight ? date : clock;
    });
}
