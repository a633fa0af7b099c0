"""packaging/run.sh: names what is damaged, deletes nothing that may be data, and leaves no process behind, also where
its supervisor was killed."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from azk import run, wait_for
from instance import RUN, Instance, with_state


def send(box, text):
    subprocess.run(["logger", "-n", "127.0.0.1", "-P", str(box.syslog), "-d", "-p", "local4.err", text], check=True)


def refused(box, *options):
    result = subprocess.run([RUN, "--state", box.state, "--detach", *options], capture_output=True, text=True, check=False)
    return result.returncode, result.stderr


def check_foreground_ends_with_us(box):
    process = box.begin()
    for line in process.stdout:
        if "is running" in line:
            break
    process.terminate()
    process.communicate()
    wait_for(lambda: not with_state(box.state), "nothing is left of a start in the foreground that was ended at once")


def check_killed_supervisor(box):
    box.start()
    os.kill(box.pids()["supervisor"], signal.SIGKILL)
    box.start()
    pids = box.pids()
    os.kill(pids["receiver"], signal.SIGSTOP)
    os.kill(pids["supervisor"], signal.SIGKILL)
    box.run("--stop")
    assert not with_state(box.state), "--stop left processes of a supervisor that was killed"


def check_setup_code(box):
    box.start()
    azekura = box.state / "program" / "bin" / "azekura"
    subprocess.run([azekura, "--state", box.state, "user", "add", "boss"], input="a long enough password\n", text=True,
                   check=True, stdout=subprocess.DEVNULL)
    wait_for(lambda: not (box.state / "setup-code").exists(), "the setup code is gone once there is an administrator")
    assert "code" not in box.start(), "a code is shown that works no more"


def check_owners(box):
    """Files of root in a daemon's folder do not keep it from starting."""
    box.run("--stop")
    for folder in ("receiver", "postgresql"):
        for path in (box.state / folder).rglob("*"):
            os.chown(path, os.geteuid(), -1)
    box.start()
    box.run("--status")


def check_damage_deletes_nothing(box):
    send(box, "precious")
    wait_for(lambda: box.search("precious"), "the line is found")
    box.run("--stop")
    version = box.state / "postgresql" / "PG_VERSION"
    version.rename(box.state / "aside")
    before = sorted(version.parent.rglob("*"))
    code, said = refused(box)
    assert code == 1 and "PG_VERSION is missing" in said, said
    assert sorted(version.parent.rglob("*")) == before, "files of a damaged database were deleted"
    (box.state / "aside").rename(version)
    box.start()
    assert len(box.search("precious")) == 1
    box.run("--stop")


def check_names(folder):
    """What the files of settings cannot hold is refused before anything is made."""
    for name, said in (("ends with a blank ", "blank"), ("ta\tb", "control"), ("a:b", "colon"), ("a,b", "comma"), ("it's", "quotes")):
        box = Instance(folder / name)
        code, error = refused(box)
        assert code == 2 and said in error, (name, error)
        assert not box.state.exists()
    box = Instance(folder / "odd #1 50% ü 倉 ; $x&(y)")
    box.start()
    send(box, "odd")
    wait_for(lambda: box.search("odd"), "a line is found in a folder with an odd name")
    box.run("--stop")


def check_ipv6_console(folder):
    box = Instance(folder / "six")
    code, said = refused(box, "--http", f"[::1]:{box.http}")
    assert code == 2 and "IPv4" in said, said
    assert not box.state.exists(), "a refused start left a folder"


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="azk wrong ", dir="/tmp"))
    box = Instance(folder / "box")
    try:
        check_ipv6_console(folder)
        check_names(folder)
        check_foreground_ends_with_us(box)
        check_killed_supervisor(box)
        check_setup_code(box)
        check_owners(box)
        check_damage_deletes_nothing(box)
    finally:
        for state in folder.iterdir():
            Instance(state).run("--stop")
        shutil.rmtree(folder)


if __name__ == "__main__":
    run(main)
