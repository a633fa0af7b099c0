/* The points of a graph as text: CSV for programs, tabs for a spreadsheet's clipboard. */
import type { LineSpec } from "./catalog";
import { MAX_OF, type Window } from "./window";

export interface TableColumn {
    line: LineSpec;
    /** Column of the window. */
    name: string;
    isMax: boolean;
}

/** A line's values, and its highest ones where the box has them apart. */
export function tableColumns(lines: readonly LineSpec[], window: Window): TableColumn[] {
    return lines.flatMap((line) => {
        const max = line.column + MAX_OF;
        const mean: TableColumn = { line, name: line.column, isMax: false };
        return !line.isLimit && window.columns[max] ? [mean, { line, name: max, isMax: true }] : [mean];
    });
}

const cell = (value: number | null | undefined) => (value == null ? "" : String(Number(value.toPrecision(9))));

/** Names as in the API, times in UTC, nothing for what is not known. */
export function graphCsv(window: Window, lines: readonly LineSpec[]): string {
    const columns = tableColumns(lines, window);
    const rows = window.at.map((at, i) => [new Date(at).toISOString(), ...columns.map(({ name }) => cell(window.columns[name]?.[i]))]);
    const head = ["time", ...columns.map(({ line, isMax }) => (isMax ? `${line.column}_max` : line.column))];
    return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

export function graphText(window: Window, heads: readonly string[], columns: readonly TableColumn[]): string {
    const rows = window.at.map((at, i) => [new Date(at).toISOString(), ...columns.map(({ name }) => cell(window.columns[name]?.[i]))]);
    return [heads, ...rows].map((row) => row.join("\t")).join("\n");
}
