#!/usr/bin/env python3
"""A long export is read while the rule changes the store and cancels who is in its way: the export goes on where it was,
each message once and in order, and ends as complete.  One that is ended because the disk is in need is seen to be cut."""

import http.client
import threading

from azk import Product, numbered, run, wait_for

MESSAGES = 200_000
# what the keeper calls before a split or a deletion
CANCEL = "select count(*) from azekura.cancel_blockers({}) where application = 'azekura-web'"


class Export(threading.Thread):
    def __init__(self, box, query=""):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection("127.0.0.1", box.http_port, timeout=120)
        self.headers = {"Authorization": f"Bearer {box.token()}"}
        self.path = f"/api/v1/logs/export?format=raw{query}"
        self.status = None
        self.lines = []
        self.is_cut = False

    def run(self):
        self.connection.request("GET", self.path, headers=self.headers)
        reply = self.connection.getresponse()
        self.status = reply.status
        try:
            self.lines = reply.read().splitlines()
        except http.client.IncompleteRead as part:
            self.is_cut = True
            self.lines = part.partial.splitlines()
        self.connection.close()


def export_under(box, cancel):
    """An export; how often it was in the way."""
    export = Export(box)
    export.start()
    cancelled = 0
    while export.is_alive():
        cancelled += int(box.value(cancel))
    export.join()
    return export, cancelled


def main():
    with Product() as box:
        box.allow_errors("canceling statement due to user request|terminating connection due to administrator command")
        box.token()
        sent = list(numbered(MESSAGES))
        box.send_tcp(sent)
        box.assert_ledger(sent=MESSAGES)

        export, cancelled = export_under(box, CANCEL.format("false"))
        assert export.status == 200 and not export.is_cut, \
            f"cancelled {cancelled} times, the export broke off after {len(export.lines)} of {MESSAGES} messages"
        assert cancelled >= 2, f"the export was in the way {cancelled} times only"
        assert export.lines == sent, f"{len(export.lines)} messages in place of {MESSAGES}, or in another order"
        print(f"complete although it was in the way {cancelled} times")

        ended = None
        def is_ended():
            nonlocal ended
            ended, n = export_under(box, CANCEL.format("true"))
            return n > 0
        wait_for(is_ended, "an export is ended")
        assert ended.is_cut or ended.status != 200, "an export that was ended looks like a complete one"
        assert len(ended.lines) < MESSAGES
        print(f"in need: seen to be cut after {len(ended.lines)} messages")


if __name__ == "__main__":
    run(main)
