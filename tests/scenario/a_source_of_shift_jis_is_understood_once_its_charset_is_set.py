"""A device that sends Shift_JIS: its text is broken until its charset is set, which the box has guessed meanwhile; from then on
10,000 messages are shown right, found by a Japanese word, and their bytes are those that were sent.  The source's health tells
formats, marks and how far its clock is off."""

import datetime
import urllib.parse

from azk import Product, run, wait_for

DEVICE, OTHER, N = "127.0.0.7", "127.0.0.8", 10000
TEXTS = ("認証に失敗しました: ユーザー admin", "インターフェース GE0/1 がダウンしました", "温度センサー異常 表示 ソ能十予",
         "ﾃﾞｨｽｸ ｴﾗｰ ①髙")
BROKEN = "\N{REPLACEMENT CHARACTER}"


def message(i, minutes=0):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return f"<134>{at:%b} {at.day:2} {at:%H:%M:%S} rtx1210 log: {TEXTS[i % len(TEXTS)]} #{i}".encode("cp932")


def find(box, query, limit=100):
    return box.api("GET", f"/logs?limit={limit}&query={urllib.parse.quote(query)}")["entries"]


def health(box, source, columns):
    rows = box.psql(f"select {columns} from azekura.source_health where address = '{source}'")
    return list(rows[0]) if rows else None


def main():
    with Product({"store.flush_ms": "50"}, daemons=("receiver", "web")) as box:
        # an hour ahead, and one that is only raw; the other source is in order
        sent = box.send_tcp([message(i, minutes=60) for i in range(200)] + [b"(no header)"], source=DEVICE)
        sent += box.send_tcp([b"<13>1 - h a - - - in order"] * 20, source=OTHER)
        box.assert_ledger(sent=sent)
        assert all(BROKEN in e["message"] for e in find(box, "#1 OR #2 OR #3"))
        columns = ("formats[1], formats[3], invalid_utf8, undecodable, charset_guess, charset_percent,"
                   " abs(skew_us - 3600000000) < 600000000, last_raw_at is not null")
        # a report may come between two of them
        told = wait_for(lambda: (h := health(box, DEVICE, columns)) and h[:3] == ["1", "200", "200"] and h, "its health is told")
        assert told[3:5] == ["0", "Shift_JIS"] and int(told[5]) > 90, told
        assert told[6:] == ["t", "t"], told
        wait_for(lambda: health(box, OTHER, "1"), "that of the other is told")
        assert health(box, OTHER, "formats[2], invalid_utf8, charset_guess is null, last_raw_at is null") == ["20", "0", "t", "t"]
        assert box.value(f"select acknowledged_at is null from azekura.source where address = '{DEVICE}'") == "t"

        box.psql(f"insert into azekura.source_setting (network, charset) values ('{DEVICE}', 'Shift_JIS');"
                 f" select azekura.forget_source_health('{DEVICE}')")
        probe = 0
        while not any("試験" in e["message"] for e in find(box, "probe")):
            probe += box.send_tcp(["<134>probe 試験".encode("cp932")], source=DEVICE)
            box.wait_for_arrived(sent + probe)
        sent += probe
        sent += box.send_tcp([message(i) for i in range(N)], source=DEVICE)
        box.assert_ledger(sent=sent)

        # all of them are right; each word finds its own
        wrong = box.value(f"select count(*) from azekura.logs where message like '%{BROKEN}%' and message not like '%probe%'")
        assert wrong == "200", wrong
        for word, text in (("認証", TEXTS[0]), ("ダウン", TEXTS[1]), ("センサー異常", TEXTS[2]), ("髙", TEXTS[3])):
            total = box.api("GET", f"/logs/histogram?buckets=1&query={urllib.parse.quote(word)}")
            assert sum(b["count"] for b in total["buckets"]) == N // len(TEXTS), (word, total)
            entries = find(box, word, limit=50)
            assert len(entries) == 50 and all(text in e["message"] for e in entries), (word, entries[:2])
            assert all(e["hostname"] == "rtx1210" and e["app_name"] == "log" for e in entries), entries[:2]

        # their bytes are those that were sent
        for entry in find(box, "インターフェース", limit=20):
            raw = box.api("GET", f"/logs/{entry['id']}/raw")
            number = int(entry["message"].rpartition("#")[2])
            assert raw.partition(b"log: ")[2] == message(number).partition(b"log: ")[2], (raw, number)
        digest = box.value("select count(*) from azekura.logs where message ~ '#[0-9]+$' and position('\\x" +
                           TEXTS[0].encode("cp932").hex() + "'::bytea in azekura.raw(id)) > 0")
        assert digest == str(N // len(TEXTS) + 50), digest

        # it starts anew with the new charset, and nothing is guessed any more
        told = wait_for(lambda: (h := health(box, DEVICE, "decoded, invalid_utf8, charset_guess is null")) and int(h[0]) >= N and h,
                        "its health is told anew")
        assert told[2] == "t" and int(told[1]) <= probe, told


run(main)
