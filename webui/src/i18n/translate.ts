/* "{n} {n|source|sources}" + {n: 2} → "2 sources".  Pure. */
export type Values = Record<string, string | number>;

export function fill(pattern: string, values: Values): string {
    return pattern.replace(/\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
        const value = values[name];
        if (value === undefined) return whole;
        if (one === undefined || many === undefined) return String(value);
        return String(value) === "1" ? one : many;
    });
}
