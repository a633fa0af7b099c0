/** A key's text as [English, 日本語]; "{name}" is filled in, "{n|one|many}" chooses by number. */
export type Words = Record<string, readonly [en: string, ja: string]>;
