/* A graph as a picture: its canvas under its title and time range, over its legend. */
import type uPlot from "uplot";
import { CHART_FONT, type ChartColors } from "./theme";

export interface PictureLine {
    name: string;
    color: string;
    isDashed: boolean;
}

const HEAD_PX = 44;
const LINE_PX = 18;
const MARGIN_PX = 12;
const SAMPLE_PX = 18;

export function picture(u: uPlot, title: string, times: string, lines: readonly PictureLine[], colors: ChartColors): Promise<Blob | null> {
    const source = u.ctx.canvas;
    const scale = source.width / u.width;
    const canvas = document.createElement("canvas");
    canvas.width = source.width;
    canvas.height = source.height + Math.round((HEAD_PX + MARGIN_PX + lines.length * LINE_PX) * scale);
    const ctx = canvas.getContext("2d");
    if (!ctx) return Promise.resolve(null);
    ctx.fillStyle = colors.surface;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(source, 0, Math.round(HEAD_PX * scale));
    ctx.scale(scale, scale);
    ctx.fillStyle = colors.limit;
    ctx.textBaseline = "middle";
    ctx.font = CHART_FONT.replace("11px", "600 14px");
    ctx.fillText(title, MARGIN_PX, 15);
    ctx.font = CHART_FONT;
    ctx.fillText(times, MARGIN_PX, 33);
    const x = MARGIN_PX;
    for (const [i, { name, color, isDashed }] of lines.entries()) {
        const y = HEAD_PX + u.height + (i + 0.5) * LINE_PX;
        ctx.strokeStyle = color;
        ctx.lineWidth = 3;
        ctx.setLineDash(isDashed ? [5, 3] : []);
        ctx.beginPath();
        ctx.moveTo(x, y);
        ctx.lineTo(x + SAMPLE_PX, y);
        ctx.stroke();
        ctx.fillText(name, x + SAMPLE_PX + 6, y);
    }
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
