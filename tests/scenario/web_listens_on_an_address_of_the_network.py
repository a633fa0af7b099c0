"""A console that listens on one address of the network alone is well in its own eyes: asked from this machine, as the
supervisor of run.sh asks, it needs no session for /healthz; a proxy's request still does."""

import socket
import sys
import urllib.error
import urllib.request

from azk import Product, ScenarioFailure, run, wait_for

SKIPPED = 77


def own_address():
    """An IPv4 address of this machine other than loopback's, or None.  Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))
            address = s.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith("127.") else address


def free_port(address):
    with socket.socket() as s:
        s.bind((address, 0))
        return s.getsockname()[1]


def status(url, headers=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers or {}), timeout=20) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code
    except urllib.error.URLError:
        return None


def main():
    address = own_address()
    if address is None:
        print("this machine has no address but loopback's")
        sys.exit(SKIPPED)
    port = free_port(address)
    with Product({"listen.http": f"{address}:{port}"}, daemons=()) as box:
        box.start("web", wait=False)
        url = f"http://{address}:{port}"

        def answers():
            if box.processes["web"].poll() is not None:
                raise ScenarioFailure(f"azekura-web ended: {box.log_text('web')[-2000:]}")
            return status(f"{url}/api/v1/setup") == 200

        wait_for(answers, "the console answers")
        assert status(f"{url}/healthz") == 200, "the machine itself may ask whether the console is well"
        assert status(f"{url}/metrics") == 200
        assert status(f"{url}/healthz", {"X-Forwarded-For": "192.0.2.9"}) == 401, "a proxy asks for somebody else"
        assert status(f"{url}/api/v1/logs") == 401, "logs are read by who has logged in"


if __name__ == "__main__":
    run(main)
