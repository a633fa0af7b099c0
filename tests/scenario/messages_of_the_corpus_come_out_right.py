"""Every case of what real devices send, by UDP, TCP and TLS, whole and cut, at the time and with the zone and charset of the
case, comes out of the API with the fields that it must have; then bytes of any kind: whatever was sent, the raw bytes are the
same and the text can be shown."""

import collections
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import random
import shutil
import socket
import struct

import corpus
from azk import TEST_PROGRAMS, TLS, Product, batches, frame, run, wait_for

CHARSETS = (None, "Shift_JIS", "EUC-JP", "ISO-2022-JP", "UTF-16", "GB18030", "Big5", "EUC-KR", "windows-1252")
SHIFT_JIS_LEADS = b"\x81\x83\x95\xe0\xfc\x5c\x7c\x00\x0a\x1b\xff\xef\xbb\xbf\xed\xa0\x80\xf4\x90"


class Clock:
    """The wall clock of the receiver, which stands where it is set."""

    def __init__(self, box):
        self.library = box.state / "clock_preload.so"
        self.path = box.state / "clock"
        shutil.copy(TEST_PROGRAMS / "clock_preload.so", self.library)
        self.path.write_bytes(bytes(8))
        self.path.chmod(0o644)

    def set(self, us):
        with self.path.open("r+b") as f:
            f.write(struct.pack("=q", us))

    def under(self):
        """The command that starts a program with this clock.  AddressSanitizer wants to be the first library unless told."""
        options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))
        return ("env", f"LD_PRELOAD={self.library}", f"AZEKURA_TEST_CLOCK={self.path}", f"ASAN_OPTIONS={options}")


class Api:
    """Requests by one connection."""

    def __init__(self, box):
        self.connection = http.client.HTTPConnection("127.0.0.1", box.http_port, timeout=180)
        self.headers = {"Authorization": f"Bearer {box.token()}"}

    def get(self, path):
        self.connection.request("GET", f"/api/v1{path}", headers=self.headers)
        reply = self.connection.getresponse()
        body = reply.read()
        assert reply.status == 200, f"{path}: {reply.status} {body[:300]!r}"
        return body

    def entries(self, query):
        """All that match, the oldest first."""
        path, found, cursor = f"/logs?limit=10000&from=2020-01-01T00:00:00Z&to=2040-01-01T00:00:00Z&query={query}", [], ""
        while True:
            page = json.loads(self.get(path + cursor))
            found += page["entries"]
            if not page.get("next_cursor"):
                return found[::-1]
            cursor = f"&cursor={page['next_cursor']}"

    def raw(self, entry):
        return self.get(f"/logs/{entry['id']}/raw")


class Way:
    """One way to send a case: the second number of the address that its messages come from tells it."""

    def __init__(self, number, name, send, takes=lambda _: True, has_charset=True):
        self.number, self.name, self.send, self.takes, self.has_charset = number, name, send, takes, has_charset

    def source(self, case):
        return f"127.{self.number}.{case.number >> 8}.{case.number & 255}"


def wait_until_read(box, connection):
    """None of what was sent by it waits in the kernel any more."""
    ours, theirs = connection.getsockname()[1], box.address("tcp")[1]

    def is_read():
        for line in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            _, local, remote, _, queues, *_ = line.split()
            if local.endswith(f":{theirs:04X}") and remote.endswith(f":{ours:04X}"):
                return int(queues.partition(":")[2], 16) == 0
        return False
    wait_for(is_read, "what was sent is read", every=0.001)


def send_stream(box, parts, source, wait_between=True):
    """By TCP; then until the receiver has read all, and has closed the connection without a word."""
    with socket.create_connection(box.address("tcp"), 180, (source, 0)) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i, part in enumerate(parts):
            if i and wait_between:
                wait_until_read(box, s)
            s.sendall(part)
        s.shutdown(socket.SHUT_WR)
        assert s.recv(100) == b"", f"{source} was answered"


def stream_of(case, is_counted):
    """The bytes of a case on a stream."""
    return case.whole if case.streams else b"".join(frame(p, is_counted) for p in case.parts)


def send_datagrams(box, case, source):
    box.send_udp(case.parts, source=source)


def send_segments(box, case, source):
    send_stream(box, case.parts, source)


def send_delimited(box, case, source):
    send_stream(box, [stream_of(case, False)], source)


def send_counted(box, case, source):
    send_stream(box, [stream_of(case, True)], source)


def cut(nth):
    """In two, at places that differ from case to case."""
    def send(box, case, source):
        stream = stream_of(case, nth % 2 == 0)
        at = 1 + (case.number * 7919 + nth * 104729) % max(1, len(stream) - 1)
        send_stream(box, [stream[:at], stream[at:]], source)
    return send


def send_bytes(box, case, source):
    stream = stream_of(case, case.number % 2 == 0)
    send_stream(box, [stream[i:i + 1] for i in range(len(stream))], source, wait_between=False)


def send_by_tls(box, case, source):
    with box.connect_tls(source=source) as s:
        s.sendall(stream_of(case, True))
        # its close_notify may be answered before what came with it is taken in; the connection is closed after it
        with s.unwrap() as plain:
            plain.shutdown(socket.SHUT_WR)
            assert plain.recv(100) == b"", f"{source} was answered"


def is_one_line(case):
    return case.streams or not any(b"\n" in p for p in case.parts)


WAYS = (
    Way(101, "UDP", send_datagrams, lambda c: not c.streams),
    Way(102, "TCP, its own segments", send_segments, lambda c: c.streams),
    Way(103, "TCP, with line ends", send_delimited, lambda c: not c.streams and is_one_line(c)),
    Way(104, "TCP, counted", send_counted, lambda c: not c.streams),
    Way(105, "TCP, counted, cut in two", cut(0)),
    Way(109, "TCP, with line ends, cut in two", cut(1), is_one_line),
    Way(110, "TCP, counted, cut elsewhere", cut(2)),
    Way(106, "TCP, byte by byte", send_bytes, lambda c: is_one_line(c) and len(c.whole) < 2000),
    Way(107, "TLS", send_by_tls),
    Way(108, "UDP, the charset is not set", send_datagrams, lambda c: c.charset is not None, has_charset=False),
)


def name_sources(box, cases):
    """Zone and charset of a case are settings of the addresses that it comes from."""
    for case in cases:
        for way in WAYS:
            charset = case.charset if way.has_charset else None
            if way.takes(case) and (case.zone or charset):
                box.api("PUT", f"/sources/settings/{way.source(case)}", {"name": case.name, "zone": case.zone, "charset": charset})


def is_at_rest(box):
    """All threads of the receiver wait, and none is on its way from the clock to a socket."""
    if box.udp_unread():
        return False
    states = []
    for task in pathlib.Path(f"/proc/{box.pid('receiver')}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            states.append((task / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0])
    return "R" not in states


def send_cases(box, clock, cases):
    """Those of a time by many connections at once.  The time is taken when a message is read: the clock may go on although
    it is not stored yet."""
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for at, together in itertools.groupby(cases, lambda c: corpus.instant(c.received_at)):
            wait_for(lambda: is_at_rest(box), "all is read", every=0.001)
            clock.set(at)
            sending = [pool.submit(way.send, box, case, way.source(case)) for case in together for way in WAYS if way.takes(case)]
            for one in sending:
                one.result()


def wait_for_idle(box):
    """What was read is stored: a message that was sent last of all by each way is."""
    box.marks = getattr(box, "marks", 0) + 1
    mark = b"<13>1 - - mark%d - - - -" % box.marks
    box.send_udp([mark], source="127.100.0.1")
    box.send_tcp([mark], source="127.100.0.2")
    box.send_tls([mark], source="127.100.0.3")
    wait_for(lambda: box.value(f"select count(*) from azekura.logs where app_name = 'mark{box.marks}'") == "3", "all is stored")


def faults_of(api, case, way, entries):
    yield from corpus.faults(case, entries)
    raws = [api.raw(e) for e in entries]
    if way.send is send_datagrams:
        if raws != case.parts:
            yield f"the raw bytes are {raws}"
    elif not corpus.is_cut_from(stream_of(case, way.send is not send_delimited), raws) and \
            not corpus.is_cut_from(stream_of(case, False), raws):
        yield f"the raw bytes are {raws}"
    at = corpus.instant(case.received_at)
    if any(corpus.instant(e["received_at"]) != at for e in entries):
        yield f"received at {entries[0]['received_at']}"
    if case.charset and way.has_charset and entries and entries[0]["message"] != case.expect["message"]:
        yield f"as {case.charset} the message is {entries[0]['message']!r}"


def check_cases(box, api, cases):
    """Prints what is wrong; how many answers there are, and how many are wrong."""
    by_source = collections.defaultdict(list)
    for entry in api.entries(""):
        by_source[entry["source"]].append(entry)
    looked_at = wrong = 0
    for case in cases:
        for way in WAYS:
            if way.takes(case):
                looked_at += 1
                found = list(faults_of(api, case, way, by_source[way.source(case)]))
                wrong += bool(found)
                for text in found:
                    print(f"{case.name} by {way.name}: {text}")
    return looked_at, wrong


# ---- bytes of any kind ----

def mutated(random_of, messages):
    """A message of the corpus with bytes changed, put in, left out, or joined with another's; or bytes of no order at all."""
    if random_of.random() < 0.2:
        return random_of.randbytes(random_of.choice((1, 2, 7, 60, 300, 1400)))
    message = bytearray(random_of.choice(messages))
    for _ in range(random_of.choice((1, 1, 2, 5, 20))):
        at = random_of.randrange(len(message) + 1)
        piece = bytes(random_of.choice(SHIFT_JIS_LEADS) for _ in range(random_of.choice((1, 2, 3)))) \
            if random_of.random() < 0.5 else random_of.randbytes(random_of.choice((1, 2, 4)))
        cut = random_of.choice((0, 1, len(piece)))
        message[at:at + cut] = piece
        if random_of.random() < 0.05:
            other = random_of.choice(messages)
            message[at:] = other[random_of.randrange(len(other)):]
    return bytes(message[:8000])


def source_of(way, charset):
    return f"127.{way}.0.{CHARSETS.index(charset) + 1}"


DATAGRAMS, COUNTED, MIXED = 120, 121, 122  # the second number of the address


def name_charsets(box):
    """Bytes that may begin with anything are frames for sure only where it is said that frames are counted."""
    for charset in CHARSETS:
        for way, framing in ((DATAGRAMS, None), (COUNTED, "counted"), (MIXED, None)):
            settings = {"name": charset or "none", "charset": charset, "framing": framing}
            box.api("PUT", f"/sources/settings/{source_of(way, charset)}", settings)


def send_datagrams_and_wait(box, messages, source):
    """None is lost: the kernel is given no more than it holds."""
    for part in batches(messages, 50):
        box.send_udp(part, source=source)
        wait_for(lambda: box.udp_unread() == 0, "datagrams are read", every=0.001)


def send_bytes_of_any_kind(box, cases):
    """Messages, or for what is mixed the stream, by the address that they are sent from."""
    random_of = random.Random(20260310)
    messages = [p for c in cases for p in c.parts if len(p) < 2000]
    sent = {}
    for charset in CHARSETS:
        for way, n in ((DATAGRAMS, 200), (COUNTED, 150), (MIXED, 60)):
            source, made = source_of(way, charset), [mutated(random_of, messages) for _ in range(n)]
            if way == DATAGRAMS:
                sent[source] = made
                send_datagrams_and_wait(box, made, source)
                continue
            made = [m for m in made if m]  # a frame holds something
            frames = [frame(m, way == COUNTED or random_of.random() < 0.5) for m in made]
            sent[source] = made if way == COUNTED else b"".join(frames)
            send_stream(box, [b"".join(frames)], source)
    return sent


def check_text(entries):
    for entry in entries:
        for field, value in entry.items():
            if isinstance(value, str):
                value.encode("utf-8")  # raises where it holds half of a pair
                assert "\0" not in value, (field, entry)


def raw_bytes(box, source):
    rows = box.psql(f"select encode(azekura.raw(id), 'hex') from azekura.logs where source = '{source}' order by id")
    return [bytes.fromhex(raw) for raw, in rows]


def check_bytes(box, api, cases):
    """How many messages, and how many sources of which something is wrong."""
    sent = send_bytes_of_any_kind(box, cases)
    wait_for_idle(box)
    wrong = total = 0
    for source, wanted in sent.items():
        entries, raws = api.entries(f"source:{source}"), raw_bytes(box, source)
        total += len(raws)
        check_text(entries)
        is_right = corpus.is_cut_from(wanted, raws) if isinstance(wanted, bytes) else raws == wanted
        is_right = is_right and [api.raw(e) for e in entries[::20]] == raws[::20] and len(entries) == len(raws)
        if not is_right:
            wrong += 1
            print(f"{source}: {len(raws)} messages, {len(entries)} entries")
        if not is_right and not isinstance(wanted, bytes):
            print(*[f"  {a!r} in place of {b!r}" for a, b in zip(raws, wanted) if a != b][:1])
    return total, wrong


def main():
    cases = corpus.cases_with_input()
    assert len(cases) >= 100, f"{len(cases)} cases"
    with Product(TLS, daemons=("web",)) as box:
        clock = Clock(box)
        clock.set(corpus.instant(cases[0].received_at))
        name_sources(box, cases)
        name_charsets(box)
        box.start("receiver", under=clock.under())
        box.allow_errors("The TLS certificate of this box .* has expired")  # the last case is of the year 2038
        api = Api(box)
        send_cases(box, clock, cases)
        wait_for_idle(box)
        answers, wrong = check_cases(box, api, cases)
        print(f"{len(cases)} cases, {answers} answers, {wrong} of them wrong")
        total, spoiled = check_bytes(box, api, cases)
        print(f"{total} messages of any bytes, {spoiled} sources of them wrong")
        box.assert_ledger()
        assert wrong == 0 and spoiled == 0, f"{wrong} answers and {spoiled} sources are wrong"


if __name__ == "__main__":
    run(main)
