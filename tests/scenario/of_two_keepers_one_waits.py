#!/usr/bin/env python3
"""A second keeper (started by mistake, or while the first still ends) waits, and takes over when the first is killed."""

import subprocess

from azk import Product, run, wait_for

LANES = ("azekura-keeper", "azekura-keeper rule")


def main():
    with Product() as box:
        box.allow_errors("connection to client lost")  # the first one is killed
        for lane in LANES:
            wait_for(lambda lane=lane: f"{lane}: connected" in box.log_text("keeper"), f"{lane} is at work")
        second = box.state / "log" / "second.log"
        with open(second, "wb") as log:
            process = subprocess.Popen(box.processes["keeper"].args, cwd=box.state / "keeper",  # pylint: disable=consider-using-with
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            for lane in LANES:
                wait_for(lambda lane=lane: f"{lane}: cannot begin, trying again: another keeper is at work" in second.read_text(),
                         f"{lane} of the second keeper waits")
            box.kill("keeper")
            for lane in LANES:
                wait_for(lambda lane=lane: f"{lane}: connected" in second.read_text(), f"{lane} of the second keeper is at work")
            text = second.read_text()
            assert text.count("another keeper is at work") == len(LANES), text
            process.terminate()
            assert process.wait(30) == 0
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    run(main)
