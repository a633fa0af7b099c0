"""packaging/run.sh, killed at each step of a first start, makes it the next time."""

import pathlib
import shutil
import tempfile

from azk import run, wait_for
from instance import Instance, with_state

STEPS = ("program", "azekura.conf", "postgresql.new/PG_VERSION", "postgresql/azekura.conf", "run/status")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="azk cut ", dir="/tmp"))
    try:
        for step in STEPS:
            box = Instance(folder / step.replace("/", " "))
            process = box.begin("--detach")
            try:
                wait_for((box.state / step).exists, f"{step} is there")
            finally:
                process.kill()
                process.communicate()
            box.start()
            box.run("--stop")
            assert not with_state(box.state)
    finally:
        for state in folder.iterdir():
            Instance(state).run("--stop")
        shutil.rmtree(folder)


if __name__ == "__main__":
    run(main)
