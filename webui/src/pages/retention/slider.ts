/* Sliders from a few to very many: equal steps multiply.  Pure. */
export const STEPS = 200;

/** The value at a step of 0…STEPS. */
export function valueAt(step: number, least: number, most: number): number {
    return least * (most / least) ** (step / STEPS);
}

export function stepOf(value: number, least: number, most: number): number {
    const inside = Math.min(most, Math.max(least, value));
    return Math.round((Math.log(inside / least) / Math.log(most / least)) * STEPS);
}

/** Two digits are as much as a slider can mean. */
export function rounded(value: number): number {
    return Number(value.toPrecision(2));
}
