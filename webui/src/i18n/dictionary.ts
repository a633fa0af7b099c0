/* Every word of the console, [English, 日本語] side by side.  Words of a page that is loaded when it is
 * opened come with it, by addWords(); the types know all of them. */
import { common } from "./words/common";
import { account } from "./words/account";
import { dashboard } from "./words/dashboard";
import { graphs } from "./words/graphs";
import { health } from "./words/health";
import { logs } from "./words/logs";
import { lines } from "./words/lines";
import { receiver } from "./words/receiver";
import { system } from "./words/system";
import type { benchmark } from "./words/benchmark";
import type { benchReport } from "./words/benchReport";
import type { events } from "./words/events";
import type { retention } from "./words/retention";
import type { rule } from "./words/rule";
import type { sources } from "./words/sources";

const core = { ...common, ...account, ...dashboard, ...graphs, ...health, ...logs, ...lines, ...receiver, ...system };

type All = typeof core & typeof benchmark & typeof benchReport & typeof events & typeof retention & typeof rule & typeof sources;
export type Key = keyof All;

type Text = readonly [en: string, ja: string];
export const dictionary = core as unknown as Record<Key, Text>;

export function addWords(words: Partial<Record<Key, Text>>): void {
    Object.assign(dictionary, words);
}
