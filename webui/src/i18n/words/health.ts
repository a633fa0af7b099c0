import type { Words } from "./words";

/** The first line of the dashboard. */
export const health = {
    "health.label": ["Health", "状態"],
    "health.well": ["All is well.", "異常はありません。"],
    "health.wellHelp": [
        "Receiving, nothing lost in 24 hours, no source fell silent, the month within its budget, the clock right, room on the disk.",
        "受信中です。24 時間の損失と途絶えた送信元はなく、今月の使用量は予算内で、時計とディスクにも問題はありません。",
    ],
    "health.unknown": ["Not all of the box’s state is known at the moment.", "装置の状態の一部を現在取得できていません。"],
    "health.receiver": ["The receiver does not report: nothing may be received.", "受信プロセスからの報告が途絶えています。受信できていないおそれがあります。"],
    "health.queue": ["{n} messages wait for the database.", "{n} 件がデータベースへの保存を待っています。"],
    "health.dropped": [
        "{n} messages were lost in 24 hours before the receiver could read them.",
        "24 時間に {n} 件が受信プロセスに届く前に失われました。",
    ],
    "health.refused": ["{n} messages were refused in 24 hours.", "24 時間に {n} 件を拒否しました。"],
    "health.clock": [
        "The clock jumped. Nothing is deleted by date or budget until it is confirmed.",
        "時計が大きくずれました。確認されるまで、日付と予算による削除を停止しています。",
    ],
    "health.disk": ["Only {bytes} are free on the disk of the database.", "データベースのディスクの空きが {bytes} しかありません。"],
    "health.shed": [
        "Messages of group {group} of severity {severity} and below are refused until the budget allows them.",
        "グループ {group} の重要度 {severity} 以下のメッセージを、予算を超えないよう拒否しています。",
    ],
    "health.over": ["The month’s budget is used up.", "今月の予算を使い切りました。"],
    "health.forecast": ["The month’s budget will probably not last.", "今月の使用量は月末までに予算を超える見込みです。"],
    "health.watch": ["The month will probably end close to its budget.", "今月の使用量は月末に予算近くに達する見込みです。"],
    "health.keep": [
        "Only about {n} days fit in the storage; {of} days are to be kept.",
        "保存日数の設定は {of} 日ですが、ストレージに収まるのは約 {n} 日分です。",
    ],
    "health.silent": [
        "{n} {n|source has|sources have} been silent for unusually long.",
        "{n} 台の送信元からの受信が、普段より長く途絶えています。",
    ],
    "health.silentMany": [
        "{n} sources or more have been silent for unusually long.",
        "{n} 台以上の送信元からの受信が、普段より長く途絶えています。",
    ],
} satisfies Words;
