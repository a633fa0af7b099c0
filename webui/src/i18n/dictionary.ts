/* Every word of the console, [English, 日本語] side by side. */
import { common } from "./words/common";
import { account } from "./words/account";
import { dashboard } from "./words/dashboard";
import { logs } from "./words/logs";
import { lines } from "./words/lines";
import { receiver } from "./words/receiver";
import { system } from "./words/system";

export const dictionary = { ...common, ...account, ...dashboard, ...logs, ...lines, ...receiver, ...system };

export type Key = keyof typeof dictionary;
