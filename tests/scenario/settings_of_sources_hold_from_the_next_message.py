"""Zone, charset and framing of a source, set by SQL while the receiver runs, hold for its next message, on open connections,
too; the longest prefix decides.  What is not known here is told in an event, and the box's own is used.  What a killed
receiver had taken in is stored by the settings it had, whatever the database says meanwhile."""

import pathlib
import socket

from azk import Product, run, wait_for

TOKYO, LOCAL, STREAM = "127.0.1.2", "127.0.2.2", "127.0.1.3"
TEXT = "認証に失敗しました: ソース表"
SJIS, EUC_JP = TEXT.encode("cp932"), TEXT.encode("euc_jp")
BROKEN = "\N{REPLACEMENT CHARACTER}"
HEADER = b"<13>Mar 10 12:00:00 h app: "
NOON, TOKYO_NOON, PARIS_NOON = "03-10 12", "03-10 03", "03-10 11"  # in UTC


def set_source(box, network, **fields):
    values = ", ".join("null" if v is None else f"'{v}'" for v in fields.values())
    box.psql(f"insert into azekura.source_setting (network, {', '.join(fields)}) values ('{network}', {values})")


def stored(box, number):
    """(message, hour of reported_at in UTC) of the message with this number."""
    def rows():
        return box.psql("select replace(message, chr(10), '|'), to_char(reported_at at time zone 'UTC', 'MM-DD HH24')"
                        f" from azekura.logs where message like '%#{number}#'")
    return wait_for(rows, f"message {number} is stored")[0]


class Sender:
    """Messages, each with a number of its own at its end."""

    def __init__(self, box):
        self.box = box
        self.number = 0

    def tail(self):
        self.number += 1
        return f" #{self.number}#".encode()

    def datagram(self, source, text=SJIS):
        self.box.send_udp([HEADER + text + self.tail()], source=source)
        return stored(self.box, self.number)

    def until(self, send, condition, what):
        """Again and again, until one is understood as wanted: then the settings are in force."""
        for _ in range(3000):
            row = send()
            if condition(row):
                return row
        raise AssertionError((what, row))


def wait_until_read(box, connection):
    """Nothing of it waits in the kernel any more."""
    ports = {f"{box.address('tcp')[1]:04X}", f"{connection.getsockname()[1]:04X}"}

    def is_read():
        for line in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            local, remote, _, queues = line.split()[1:5]
            if {local.rpartition(":")[2], remote.rpartition(":")[2]} == ports and queues != "00000000:00000000":
                return False
        return True
    wait_for(is_read, "the receiver has read what was sent")


def zones_and_charsets(box, sender):
    message, hour = sender.datagram(TOKYO)
    assert BROKEN in message and hour == NOON, (message, hour)
    set_source(box, "127.0.1.0/24", charset="Shift_JIS", zone="Asia/Tokyo", framing="delimited")
    sender.until(lambda: sender.datagram(TOKYO), lambda r: r[0].startswith(TEXT) and r[1] == TOKYO_NOON, "in force")
    message, hour = sender.datagram(LOCAL)
    assert BROKEN in message and hour == NOON, (message, hour)

    # a longer prefix wins, its whole row
    set_source(box, TOKYO, zone="Europe/Paris", charset=None)
    sender.until(lambda: sender.datagram(TOKYO), lambda r: BROKEN in r[0] and r[1] == PARIS_NOON, "the longer prefix")
    box.psql(f"delete from azekura.source_setting where network = '{TOKYO}'")
    sender.until(lambda: sender.datagram(TOKYO), lambda r: r[0].startswith(TEXT) and r[1] == TOKYO_NOON, "the network again")

    # of all others the box's charset
    box.psql("insert into azekura.setting (name, value, changed_by) values ('receiver.charset', 'Shift_JIS', 'x')")
    sender.until(lambda: sender.datagram(LOCAL), lambda r: r[0].startswith(TEXT) and r[1] == NOON, "receiver.charset")
    message, _ = sender.datagram(LOCAL, TEXT.encode())
    assert message.startswith(TEXT), "what is UTF-8 stays so"
    box.psql("delete from azekura.setting where name = 'receiver.charset'")


def framing_of_an_open_connection(box, sender):
    with socket.create_connection(box.address("tcp"), 60, (STREAM, 0)) as s:
        s.sendall(b"7 " + SJIS + sender.tail() + b"\n")  # of 7 octets, where frames may be counted
        message, _ = stored(box, sender.number)
        assert message.startswith(f"7 {TEXT}"), message
        s.sendall(HEADER + b"begun ")
        wait_until_read(box, s)
        set_source(box, STREAM, charset="EUC-JP", framing="counted")
        sender.until(lambda: sender.datagram(STREAM, EUC_JP), lambda r: r[0].startswith(TEXT), "EUC-JP is in force")
        s.sendall(EUC_JP + sender.tail() + b"\n")  # what is begun ends as it was begun
        message, _ = stored(box, sender.number)
        assert message.startswith(f"begun {TEXT}"), message
        counted = HEADER + b"two\nlines " + EUC_JP + sender.tail()
        s.sendall(f"{len(counted)} ".encode() + counted)
        message, _ = stored(box, sender.number)
        assert message.startswith(f"two|lines {TEXT}"), message


def unknown_zone(box, sender):
    set_source(box, "127.0.2.0/24", zone="Mars/Olympus_Mons", charset="Shift_JIS")
    sender.until(lambda: sender.datagram(LOCAL), lambda r: r[0].startswith(TEXT) and r[1] == NOON, "the rest of the row")
    events = wait_for(lambda: box.psql("select severity, array_to_string(params, ' ') from azekura.event"
                                       " where kind = 'source.setting_unknown'"), "an event tells of it")
    assert len(events) == 1 and "127.0.2.0/24" in events[0][1] and "Mars/Olympus_Mons" in events[0][1], events


def killed(box, sender):
    box.psql("insert into azekura.setting (name, value, changed_by) values ('store.flush_ms', '60000', 'x')")
    kept = box.state / "receiver" / "settings"
    wait_for(lambda: "store.flush_ms = 60000" in kept.read_text(encoding="utf-8"), "units stay open")
    box.send_udp([HEADER + SJIS + sender.tail() for _ in range(100)], source=TOKYO)
    wait_for(lambda: box.udp_unread() == 0, "they are read")
    box.kill("receiver")
    box.psql("delete from azekura.source_setting; delete from azekura.setting where name = 'store.flush_ms'")
    box.start("receiver")
    last = sender.number
    for number in range(last - 99, last + 1):
        message, hour = stored(box, number)
        assert message.startswith(TEXT) and hour == TOKYO_NOON, (number, message, hour)
    sender.until(lambda: sender.datagram(TOKYO), lambda r: BROKEN in r[0] and r[1] == NOON, "nothing is set any more")


def main():
    with Product({"store.flush_ms": "10"}, daemons=("receiver",)) as box:
        sender = Sender(box)
        zones_and_charsets(box, sender)
        framing_of_an_open_connection(box, sender)
        unknown_zone(box, sender)
        killed(box, sender)
        box.assert_ledger(sent=sender.number)


run(main)
