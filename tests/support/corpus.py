"""Cases of what real devices send (tests/corpus/cases.jsonl) against entries as the API gives them.  In the API `reported_at`
is what a case calls `timestamp`, and structured data is text as received."""

import base64
import datetime
import json
import re

from azk import SOURCE

REPLACEMENTS = re.compile("\N{REPLACEMENT CHARACTER}+")
ESCAPE = re.compile(r'\\([\\"\]])')
# what frames a message: a count before it, or a line end or NUL behind it; lines of blanks between frames are none
BETWEEN = re.compile(rb"(?:[ \t\r]*[\n\0]|[ \t\r]*[1-9][0-9]* )*")


class Case:
    """`streams`: it is about a stream, and comes by TCP or TLS alone; `parts`: what is sent, a datagram or write each."""

    def __init__(self, line):
        case = json.loads(line)
        self.name = case["id"]
        self.number = int(self.name[1:])
        self.streams = case["transport"] != "udp"
        self.whole = base64.b64decode(case["input_b64"] or "")
        self.parts = [base64.b64decode(s) for s in case.get("segments_b64") or []] or [self.whole]
        ctx = case["ctx"]
        self.received_at = ctx["received_at"]
        zone = ctx.get("sender_tz", ctx["receiver_tz"])
        self.zone = None if zone == "UTC" else zone
        # "Shift_JIS (second run: not configured)"
        self.charset = ctx.get("sender_charset", "").partition(" ")[0] or None
        self.expect = case["expect"]
        self.is_behaviour = "behaviour" in self.expect

    def wanted(self):
        """What each of its messages has to be, in order; of a case told in words, what none may be."""
        return self.expect.get("messages") or [self.expect]


def cases_with_input():
    """By the time at which they are received."""
    lines = (SOURCE / "tests" / "corpus" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [Case(line) for line in lines if json.loads(line)["input_b64"]]
    return sorted(cases, key=lambda c: (instant(c.received_at), c.number))


def instant(text):
    """Microseconds since 1970 of an RFC 3339 time; further digits are cut."""
    date, fraction, zone = re.fullmatch(r"([^.]*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", text).groups()
    at = datetime.datetime.fromisoformat(date + zone.replace("Z", "+00:00"))
    seconds = at - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return seconds // datetime.timedelta(microseconds=1) + int(((fraction or "") + "000000")[:6])


def is_equal(entry, field, value):
    """Whether the entry has this value of a case in this field."""
    got = entry["reported_at" if field == "timestamp" else field]
    if value is None or got is None or isinstance(value, int):
        return got == value
    if field == "timestamp":
        return instant(got) == instant(value)
    if field == "structured_data" and not isinstance(value, str):
        text = "".join("[" + e["id"] + "".join(f' {n}="{v}"' for n, v in e["params"]) + "]" for e in value)
        return ESCAPE.sub(r"\1", re.sub(r" +\]", "]", got)) == text
    one = "\N{REPLACEMENT CHARACTER}"
    return REPLACEMENTS.sub(one, got) == REPLACEMENTS.sub(one, value)


def faults_of_entry(entry, want):
    """The fields that are not as wanted, in words."""
    alternatives = want.get("alt", {})
    for field in want.get("hard", []):
        if field in want and not any(is_equal(entry, field, v) for v in [want[field], *alternatives.get(field, [])]):
            yield f"{field} should be {want[field]!r} in {entry}"
    for field, values in want.get("never", {}).items():
        if any(is_equal(entry, field, v) for v in values):
            yield f"{field} is the wrong {entry[field if field != 'timestamp' else 'reported_at']!r} in {entry}"


def faults(case, entries):
    """Entries in the order of their messages."""
    wanted = case.wanted()
    if case.is_behaviour:
        wanted = wanted * len(entries)
    if len(entries) != len(wanted):
        yield f"{len(entries)} messages in place of {len(wanted)}: {[e['message'][:80] for e in entries]}"
        return
    for entry, want in zip(entries, wanted):
        yield from faults_of_entry(entry, want)


def is_cut_from(stream, messages):
    """Whether the stream is these messages in this order, and beside them only what frames them."""
    ends = {0}
    for message in messages:
        begins = {at for end in ends for at in range(end, BETWEEN.match(stream, end).end() + 1) if BETWEEN.fullmatch(stream, end, at)}
        ends = {at + len(message) for at in begins if stream.startswith(message, at)}
    return any(BETWEEN.fullmatch(stream, end) for end in ends)
