/* Every word of the console, [English, 日本語] side by side.  Words of a page that is loaded when it is
 * opened come with it, by addWords(); the types know all of them. */
import { common } from "./words/common";
import { account } from "./words/account";
import { dashboard } from "./words/dashboard";
import { graphs } from "./words/graphs";
import { health } from "./words/health";
import { ledger } from "./words/ledger";
import { logs } from "./words/logs";
import { lines } from "./words/lines";
import { system } from "./words/system";
import type { benchmark } from "./words/benchmark";
import type { benchReport } from "./words/benchReport";
import type { certificates } from "./words/certificates";
import type { connections } from "./words/connections";
import type { events } from "./words/events";
import type { listeners } from "./words/listeners";
import type { receiver } from "./words/receiver";
import type { retention } from "./words/retention";
import type { rule } from "./words/rule";
import type { senders } from "./words/senders";
import type { sourceList } from "./words/sourceList";
import type { sources } from "./words/sources";
import type { sourceSettings } from "./words/sourceSettings";

const core = { ...common, ...account, ...dashboard, ...graphs, ...health, ...ledger, ...logs, ...lines, ...system };

type Pages = typeof benchmark & typeof benchReport & typeof events & typeof receiver & typeof retention & typeof rule & typeof sources & typeof sourceList & typeof sourceSettings;
type All = typeof core & Pages & typeof connections & typeof listeners & typeof senders & typeof certificates;
export type Key = keyof All;

type Text = readonly [en: string, ja: string];
export const dictionary = core as unknown as Record<Key, Text>;

export function addWords(words: Partial<Record<Key, Text>>): void {
    Object.assign(dictionary, words);
}
