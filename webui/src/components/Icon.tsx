import ui from "./ui.module.css";

/** Drawn for a 16 × 16 grid; always beside a word or an aria-label. */
const PATHS = {
    dashboard: "M2.5 13.5V9M6.2 13.5V5M9.8 13.5V7.5M13.5 13.5V2.5",
    logs: "M2.5 3.5h11M2.5 6.5h11M2.5 9.5h7M2.5 12.5h9",
    sources: "M3 3.5h10v4H3zM8 7.5v3M8 10.5H4v2.5M8 10.5h4v2.5M5 5.5h.01",
    benchmark: "M2.6 12.5a6 6 0 1 1 10.8 0M8 10l3-3.6M8 9.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2z",
    receiver: "M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3",
    listeners: "M2 3.5h4M2 8h6M2 12.5h4M6 3.5 9.5 8 6 12.5M9.5 8H14",
    system: "M8 5.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4",
    retention: "M3 4.2c0-1 2.2-1.7 5-1.7s5 .7 5 1.7-2.2 1.7-5 1.7-5-.7-5-1.7zM3 4.2v7.6c0 1 2.2 1.7 5 1.7s5-.7 5-1.7V4.2M3 8c0 1 2.2 1.7 5 1.7s5-.7 5-1.7",
    events: "M4 6.8a4 4 0 0 1 8 0c0 3 1.2 4 1.2 4H2.8s1.2-1 1.2-4zM6.6 13.2a1.6 1.6 0 0 0 2.8 0",
    fold: "M10 3.5 5.5 8l4.5 4.5",
    unfold: "M6 3.5 10.5 8 6 12.5",
    light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
    dark: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
    auto: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
    user: "M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM2.8 13.5c.6-2.6 2.6-4 5.2-4s4.6 1.4 5.2 4",
    copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
    close: "M4 4l8 8M12 4l-8 8",
    search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2",
    live: "M8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM4.8 11.2a4.5 4.5 0 0 1 0-6.4M11.2 4.8a4.5 4.5 0 0 1 0 6.4M2.7 13.3a7.5 7.5 0 0 1 0-10.6M13.3 2.7a7.5 7.5 0 0 1 0 10.6",
    down: "M4 6l4 4 4-4",
    up: "M4 10l4-4 4 4",
    alert: "M8 2.2 14.3 13.5H1.7zM8 6.3v3.4M8 11.5h.01",
    check: "M3 8.5 6.5 12 13 4.5",
    export: "M8 2.5v7.5M5 7l3 3 3-3M3 13.5h10",
    wrap: "M2.5 3.5h11M2.5 7.5h9a2.2 2.2 0 0 1 0 4.5H8M9.5 10.3 7.8 12l1.7 1.7M2.5 12h2.5",
    reload: "M13 8a5 5 0 1 1-1.5-3.5M13 2.5v3h-3",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
    return (
        <svg class={ui.icon} viewBox="0 0 16 16" aria-hidden="true">
            <path d={PATHS[name]} />
        </svg>
    );
}
