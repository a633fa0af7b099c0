#!/usr/bin/python3
"""Starts the database and the daemons of one state folder, restarts what dies, stops all in order.

packaging/run.sh makes the folder and runs this from its copy in DIR/program:

    supervise.py run DIR      until SIGTERM or SIGINT; the parent reads DIR/run/status
    supervise.py stop DIR     tells a running one to stop, waits for it and for what a killed one left
    supervise.py settle DIR   only waits for what a killed one left
    supervise.py status DIR   prints what runs; exit 0 all is well, 3 not (wholly) running

Only one runs a folder: it holds a lock on DIR/run/supervisor.pid, so a left-over file with a pid that
now is another process's is never believed.  Children get a signal from the kernel when this dies, and
each inherits a lock on DIR/run/children, so that it is known when the last of them has ended, and which
they are.  The receiver's sockets are held for it between its runs, by systemd's protocol.  On the appliance
systemd does all of this instead.
"""

import array
import fcntl
import http.client
import json
import os
import pathlib
import pwd
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

PG_BIN = "/usr/lib/postgresql/15/bin"
LOG_BYTES = 8 << 20  # a log file is set aside at this size
LOGS_KEPT = 4
PAUSE_FIRST_S, PAUSE_MAX_S = 0.5, 30  # before a restart, doubling
STEADY_S = 60  # a process that ran so long starts again with the first pause
START_TRIES = 3  # a process that dies so often before all is ready: the start has failed
START_S = 60  # a daemon must be ready within this; the database may take longer to recover
START_FAILED = 3  # exit code; nobody need try again by himself
STOP_S = {"postgresql": 60}  # the others:
STOP_DEFAULT_S = 20
QUICK_S = 2  # a receiver that ran so long starts again at once: what is sent meanwhile waits in the kernel
HELD_MAX = 64  # sockets held for it
HELD_FD, CHILDREN_FD = 100, 200  # our own numbers of them and of the children's lock, out of the way of 3, 4, …
LEFT_S = 30  # what a killed supervisor left has so long to end by itself
SETUP_LOOK_S = 2  # how often to look whether there is an administrator, until there is one


class Fault(Exception):
    """The start failed; the text is for the administrator."""


def read_config(state):
    """The settings of DIR/azekura.conf that matter here."""
    settings = {}
    for line in (state / "azekura.conf").read_text(encoding="utf-8").splitlines():
        name, found, value = line.partition("=")
        if found and not line.lstrip().startswith("#"):
            settings[name.strip()] = value.strip()
    return settings


def port_of(address):
    """The port of "ADDR:PORT", 0 where there is none."""
    digits = address.rpartition(":")[2]
    return int(digits) if digits.isdigit() else 0


class Log:
    """A log file that is set aside at LOG_BYTES.  Never fails: a full disk must not stop the daemons."""

    def __init__(self, path):
        self.path = path
        self.file = open(path, "ab", buffering=0)  # pylint: disable=consider-using-with

    def write(self, data):
        try:
            self.file.write(data)
            if self.file.tell() >= LOG_BYTES:
                for n in range(LOGS_KEPT - 1, 0, -1):
                    old = self.path.with_name(f"{self.path.name}.{n}")
                    if old.exists():
                        old.rename(self.path.with_name(f"{self.path.name}.{n + 1}"))
                self.path.rename(self.path.with_name(f"{self.path.name}.1"))
                self.file.close()
                self.file = open(self.path, "ab", buffering=0)  # pylint: disable=consider-using-with
        except OSError:
            pass

    def last_line(self):
        try:
            lines = self.path.read_bytes()[-4000:].decode("utf-8", "replace").splitlines()
        except OSError:
            lines = []
        return lines[-1] if lines else "(it said nothing)"


class DescriptorStore:
    """Sockets held for a process between its runs, as systemd's FileDescriptorStoreMax= does: it sends them with
    FDSTORE=1 (sd_notify(3)) and gets them back from descriptor 3 on (sd_listen_fds(3))."""

    def __init__(self, path, say=lambda text: None):
        self.path, self.say = path, say
        self.held = []  # (name, descriptor, inode of the socket)
        self.status = ""
        path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind(str(path))
        # whoever may enter the folder may write; who did is seen by his process id
        path.chmod(0o666)

    def fileno(self):
        return self.socket.fileno()

    def read(self, pid):
        """Everything that has been said; believed of process `pid` only."""
        while True:
            try:
                data, control, _, _ = self.socket.recvmsg(
                    4096, socket.CMSG_SPACE(HELD_MAX * 4) + socket.CMSG_SPACE(12), socket.MSG_CMSG_CLOEXEC)
            except BlockingIOError:
                return
            sender, descriptors = None, array.array("i")
            for level, kind, payload in control:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    descriptors.frombytes(payload[:len(payload) - len(payload) % descriptors.itemsize])
                elif level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                    sender = struct.unpack("iII", payload[:12])[0]
            try:
                if sender == pid:
                    self.obey(data.decode("utf-8", "replace"), descriptors)
            finally:
                for fd in descriptors:
                    os.close(fd)

    def obey(self, text, descriptors):
        said = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        name = said.get("FDNAME", "stored")
        self.status = said.get("STATUS", self.status)
        if said.get("FDSTORE") == "1":
            for fd in descriptors:
                self.hold(name, fd)
        elif said.get("FDSTOREREMOVE") == "1":
            self.forget(name)

    def hold(self, name, fd):
        inode = os.fstat(fd).st_ino
        if any(inode == held[2] for held in self.held):
            return
        if len(self.held) >= HELD_MAX or ":" in name or not name.isprintable():
            self.say(f"the socket {name!r} is not held: there are {len(self.held)} of at most {HELD_MAX}")
            return
        self.held.append((name, fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HELD_FD), inode))

    def forget(self, name):
        for held in [h for h in self.held if h[0] == name]:
            os.close(held[1])
            self.held.remove(held)

    def hand_over(self, argv):
        """Command line, environment and descriptors to inherit of a start of `argv` that gets what is held."""
        env = {"NOTIFY_SOCKET": str(self.path)}
        fds = [held[1] for held in self.held]
        if fds:
            env |= {"LISTEN_FDS": str(len(fds)), "LISTEN_FDNAMES": ":".join(held[0] for held in self.held)}
            # the process id is known only in the process itself
            moves = " ".join(f"{3 + i}<&{fd} {fd}<&-" for i, fd in enumerate(fds))
            argv = ["bash", "-c", f'export LISTEN_PID=$$; exec "$@" {moves}', "hand-over", *argv]
        return argv, env, fds

    def close(self):
        for held in self.held:
            os.close(held[1])
        self.held = []
        self.socket.close()
        self.path.unlink(missing_ok=True)


class Service:
    """One process that is to run: how it starts, and how it is doing."""

    def __init__(self, name, argv, user, log, stop_signal=signal.SIGTERM, ports=(), store=None):
        self.name, self.argv, self.user, self.log = name, argv, user, log
        self.stop_signal, self.ports = stop_signal, ports
        self.store = store  # DescriptorStore: its sockets outlive it
        self.process = None
        self.started = 0.0  # monotonic
        self.started_at = 0.0  # since the epoch
        self.deaths = 0  # since all was ready, or since the start
        self.pause = PAUSE_FIRST_S
        self.restart_at = None

    def command(self):
        """As its own user, without new privileges, and not outliving this process; with what is to be added to its
        environment and to be inherited."""
        argv, env, fds = self.store.hand_over(self.argv) if self.store else (self.argv, {}, [])
        prefix = ["setpriv", "--pdeathsig", self.stop_signal.name[3:], "--no-new-privs"]
        if self.user:
            prefix += ["--reuid", self.user, "--regid", pwd.getpwnam(self.user).pw_gid, "--init-groups"]
            # where the receiver listens may change while it runs
            low = self.store is not None or any(0 < p < 1024 for p in self.ports)
            caps = "+net_bind_service" if low else "-all"
            prefix += ["--inh-caps", caps, "--ambient-caps", caps]
        return [str(a) for a in prefix + ["--"] + argv], env, fds

    def is_running(self):
        return self.process is not None and self.process.poll() is None


class Supervisor:
    def __init__(self, state, children_fd):
        self.state = state
        # locked; each child inherits it
        self.children_fd = fcntl.fcntl(children_fd, fcntl.F_DUPFD_CLOEXEC, CHILDREN_FD)
        os.close(children_fd)
        self.config = read_config(state)
        self.program = state / "program"
        self.selector = selectors.DefaultSelector()
        self.setup_code_file = state / "setup-code"
        self.setup_looked = 0.0  # monotonic
        self.own_log = Log(state / "log" / "supervisor.log")
        self.is_stopping = False
        self.is_ready = False
        self.fault = ""
        self.services = {}
        self.env = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(state),
        }

    def say(self, text):
        self.own_log.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {text}\n".encode())

    # ---- what runs ----

    def define_services(self):
        is_root = os.geteuid() == 0
        config = ["--config", self.state / "azekura.conf"]
        store = DescriptorStore(self.state / "run" / "notify", self.say)
        self.selector.register(store, selectors.EVENT_READ, store)
        particular = {
            "receiver": {"store": store},
            "keeper": {},
            "web": {"ports": [port_of(self.config.get("listen.http", ""))]},
        }

        def add(name, argv, user, **kw):
            log = Log(self.state / "log" / f"{name}.log")
            self.services[name] = Service(name, argv, user if is_root else None, log, **kw)

        add("postgresql", [f"{PG_BIN}/postgres", "-D", self.state / "postgresql"], "postgres", stop_signal=signal.SIGINT)
        for name, more in particular.items():
            add(name, [self.program / "bin" / f"azekura-{name}"] + config, f"azekura-{name}", **more)

    def start(self, service):
        read_end, write_end = os.pipe()
        os.set_blocking(read_end, False)
        if service.name == "receiver":
            # it says there where it listens, once it does
            (self.state / "receiver" / "listeners").unlink(missing_ok=True)
        argv, env, fds = service.command()
        try:
            service.process = subprocess.Popen(  # pylint: disable=consider-using-with
                argv, stdin=subprocess.DEVNULL, stdout=write_end, stderr=write_end, env=self.env | env,
                cwd=self.state, start_new_session=True, umask=0o027, pass_fds=(self.children_fd, *fds))
        finally:
            os.close(write_end)
        self.selector.register(read_end, selectors.EVENT_READ, service)
        service.started, service.started_at, service.restart_at = time.monotonic(), time.time(), None
        self.say(f"{service.name}: started, pid {service.process.pid}")
        self.write_status()

    # ---- events: output of the children, their deaths, signals ----

    def turn(self, seconds):
        """Wait for at most so long, then handle everything that happened."""
        for key, _ in self.selector.select(seconds):
            if key.data is None:
                os.read(key.fd, 4096)  # a signal woke us
            elif isinstance(key.data, DescriptorStore):
                self.take_sockets()
            else:
                self.take_output(key)
        self.look_after()

    def take_output(self, key):
        try:
            data = os.read(key.fd, 65536)
        except BlockingIOError:
            return
        if data:
            key.data.log.write(data)
        else:
            self.selector.unregister(key.fd)
            os.close(key.fd)

    def take_sockets(self):
        """What the receiver gives us to hold, also where it has died meanwhile."""
        receiver = self.services["receiver"]
        receiver.store.read(receiver.process.pid if receiver.process is not None else None)

    def look_after(self):
        now = time.monotonic()
        for service in self.services.values():
            if service.process is not None and service.process.poll() is not None:
                self.note_death(service, now)
            if service.restart_at is not None and now >= service.restart_at and not self.is_stopping:
                self.start(service)

    def note_death(self, service, now):
        code = service.process.returncode
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        if service.store:
            self.take_sockets()
        service.process = None
        if self.is_stopping:
            self.say(f"{service.name}: {how}")
        else:
            if now - service.started >= STEADY_S:
                service.pause = PAUSE_FIRST_S
            service.deaths += 1
            is_quick = service.store and now - service.started >= QUICK_S
            pause = 0 if is_quick else service.pause
            service.restart_at = now + pause
            self.say(f"{service.name}: {how}, starting it again in {pause:g} s; its last line: "
                     f"{service.log.last_line()}")
            if not is_quick:
                service.pause = min(service.pause * 2, PAUSE_MAX_S)
        self.write_status()

    def wait_for(self, service, is_ready, seconds):
        """Until is_ready(), or a Fault: too many deaths, too long, told to stop."""
        deadline = time.monotonic() + seconds
        while not is_ready():
            if self.is_stopping:
                raise Fault("told to stop")
            if service.deaths >= START_TRIES:
                raise Fault(f"{service.name} does not start: {service.log.last_line()}")
            if time.monotonic() > deadline:
                raise Fault(f"{service.name} was not ready after {seconds} s; see {service.log.path}")
            self.turn(0.05)

    # ---- the order of things ----

    def run(self):
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write)
        self.selector.register(wake_read, selectors.EVENT_READ, None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.told_to_stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.say(f"starting, pid {os.getpid()}")
        try:
            self.define_services()
            self.start_all()
        except (Fault, OSError, subprocess.SubprocessError) as fault:
            if not self.is_stopping:
                self.fault = str(fault)
                self.say(f"the start failed: {fault}")
        while not self.is_stopping and not self.fault:
            self.turn(self.next_pause())
            self.forget_used_setup_code()
        self.stop_all()
        return START_FAILED if self.fault else 0

    def told_to_stop(self, *_):
        self.is_stopping = True

    def next_pause(self):
        due = [s.restart_at for s in self.services.values() if s.restart_at is not None]
        if self.setup_code_file.exists():
            due.append(time.monotonic() + SETUP_LOOK_S)
        return max(0, min(due) - time.monotonic()) if due else None

    def start_all(self):
        database = self.services["postgresql"]
        self.start(database)
        self.wait_for(database, self.database_answers, 600)
        self.prepare_database()
        for name in ("receiver", "keeper", "web"):
            self.start(self.services[name])
        self.wait_for(self.services["receiver"], (self.state / "receiver" / "listeners").exists, START_S)
        self.wait_for(self.services["web"], self.web_answers, START_S)
        self.wait_for(self.services["keeper"], self.services["keeper"].is_running, START_S)
        for service in self.services.values():
            service.deaths = 0
        self.is_ready = True
        self.say("ready")
        self.write_status()

    def stop_all(self):
        """The receiver first, so that it can still store what it holds; the database last."""
        self.is_stopping, self.is_ready = True, False
        self.say("stopping")
        self.write_status()
        for group in (["receiver"], ["web", "keeper"], ["postgresql"]):
            self.stop_group([self.services[n] for n in group if n in self.services])
            for name in group:
                if name in self.services and self.services[name].store:
                    self.selector.unregister(self.services[name].store)
                    self.services[name].store.close()
        self.say(f"stopped{': ' + self.fault if self.fault else ''}")
        self.write_status()

    def stop_group(self, group):
        for service in group:
            if service.is_running():
                service.process.send_signal(service.stop_signal)
        for service in group:
            deadline = time.monotonic() + STOP_S.get(service.name, STOP_DEFAULT_S)
            while service.is_running():
                if time.monotonic() > deadline:
                    self.say(f"{service.name}: does not stop, killing it")
                    # to a database an immediate shutdown, which it recovers from
                    service.process.send_signal(signal.SIGQUIT if service.name == "postgresql" else signal.SIGKILL)
                    deadline += 10
                self.turn(0.05)

    # ---- the database ----

    def superuser(self):
        """Environment and prefix of commands that act as the database's superuser."""
        return {**self.env, "PGHOST": str(self.state / "run"), "PGUSER": "postgres", "PGCONNECT_TIMEOUT": "10"}

    def database_answers(self):
        return subprocess.run([f"{PG_BIN}/pg_isready", "-q", "-d", "postgres"], env=self.superuser(), check=False,
                              stdin=subprocess.DEVNULL).returncode == 0

    def command(self, what, argv, **kw):
        result = subprocess.run([str(a) for a in argv], env=self.superuser(), stdin=subprocess.DEVNULL, cwd="/",
                                capture_output=True, text=True, check=False, **kw)
        if result.stderr.strip():
            self.say(f"{what}: {result.stderr.strip()}")
        if result.returncode != 0:
            lines = (result.stderr.strip() or result.stdout.strip()).splitlines()
            raise Fault(f"{what} failed: {lines[-1] if lines else f'exit code {result.returncode}'}")
        return result.stdout.strip()

    def psql(self, database, sql):
        return self.command("asking the database", ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql])

    def azekura(self, what, *args):
        return self.command(what, [self.program / "bin" / "azekura", "--config", self.state / "azekura.conf", *args])

    def prepare_database(self):
        if self.psql("postgres", "select count(*) from pg_database where datname = 'azekura'") == "0":
            self.psql("postgres", "create database azekura template template0 encoding 'UTF8'")
        self.azekura("bringing the database up to date", "migrate")
        code_file = self.setup_code_file
        if self.psql("azekura", "select count(*) from azekura.account") != "0":
            code_file.unlink(missing_ok=True)
        elif not code_file.exists() or self.psql("azekura", "select count(*) from azekura.setup") == "0":
            code = self.azekura("making the setup code", "setup-code")
            fd = os.open(code_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(fd, "w", encoding="utf-8") as file:
                os.fchmod(fd, 0o600)
                file.write(code + "\n")

    def ask_web(self, path):
        """The body of the answer, or None where there is no good one."""
        try:
            with urllib.request.urlopen(f"http://{reachable(self.config['listen.http'])}{path}", timeout=2) as reply:
                return reply.read(65536)
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            return None

    def web_answers(self):
        return self.ask_web("/healthz") is not None

    def forget_used_setup_code(self):
        """A code that works no more must not be shown to anybody."""
        now = time.monotonic()
        if now - self.setup_looked < SETUP_LOOK_S or self.is_stopping or not self.setup_code_file.exists():
            return
        self.setup_looked = now
        try:
            if json.loads(self.ask_web("/api/v1/setup") or b"{}").get("needed") is False:
                self.setup_code_file.unlink(missing_ok=True)
                self.say("there is an administrator: the setup code is gone")
        except (ValueError, AttributeError, OSError) as error:
            self.say(f"cannot see whether there is an administrator: {error}")

    # ---- what others may read ----

    def write_status(self):
        if self.fault and self.is_stopping:
            phase = "failed"
        elif self.is_stopping:
            phase = "stopping"
        else:
            phase = "ready" if self.is_ready else "starting"
        status = {
            "phase": phase,
            "fault": self.fault,
            "pid": os.getpid(),
            "services": [
                {
                    "name": s.name,
                    "pid": s.process.pid if s.is_running() else None,
                    "since": s.started_at,
                    "restarts": s.deaths,
                    "last_line": s.log.last_line() if s.deaths and not s.is_running() else "",
                }
                for s in self.services.values()
            ],
        }
        path = self.state / "run" / "status"
        try:
            new = path.with_name("status.new")
            new.unlink(missing_ok=True)
            with open(new, "x", encoding="utf-8") as file:
                json.dump(status, file)
            new.rename(path)
        except OSError as error:
            self.say(f"cannot write {path}: {error.strerror}")


def reachable(address):
    """Where a client on this machine reaches an address that may mean "all of them"."""
    host, _, port = address.rpartition(":")
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "": "127.0.0.1", "*": "127.0.0.1"}.get(host, host)
    return f"{host}:{port}"


# ---- one supervisor a folder ----


def open_lock_file(state, name, mode):
    """A file to lock, which must be our own: others may write to the folder (the database's socket is there)."""
    fd = os.open(state / "run" / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    if os.fstat(fd).st_uid != os.geteuid():
        owner = pwd.getpwuid(os.fstat(fd).st_uid).pw_name
        os.close(fd)
        raise Fault(f"{state}/run/{name} belongs to {owner}: run this as {owner}")
    return fd


def open_pid_file(state):
    return open_lock_file(state, "supervisor.pid", 0o644)


def try_lock(fd):
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False


def holders_of(fd):
    """The processes that have the file open, but for this one."""
    wanted, found = os.fstat(fd), set()
    for path in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        pid = int(path.parts[2])
        try:
            if pid != os.getpid() and pid not in found and os.path.samestat(path.stat(), wanted):
                found.add(pid)
        except OSError:
            continue
    return found


def settle(state, is_supervisor=False):
    """Wait until nothing is left of a supervisor that was killed; what does not end is killed too.  Returns
    the locked file, which the children of the next one inherit."""
    fd = open_lock_file(state, "children", 0o600)
    deadline = time.monotonic() + LEFT_S
    while not try_lock(fd):
        if not is_supervisor and is_supervised(state):
            break  # these are the children of one that has begun meanwhile
        if time.monotonic() > deadline:
            # their file is readable to nobody else: who has it open is of this folder
            for pid in holders_of(fd):
                print(f"supervise: process {pid}, left by a supervisor that was killed, does not end: killing it", file=sys.stderr)
                os.kill(pid, signal.SIGKILL)
            deadline += LEFT_S
        time.sleep(0.05)
    return fd


def is_supervised(state):
    if not (state / "run" / "supervisor.pid").exists():
        return False
    fd = open_pid_file(state)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(fd)


def running_pid(state):
    """The pid of the supervisor that runs `state`, or None."""
    # locked, but the number may not be written yet
    for _ in range(100):
        if not is_supervised(state):
            return None
        text = (state / "run" / "supervisor.pid").read_text(encoding="ascii").strip()
        if text.isdigit():
            return int(text)
        time.sleep(0.02)
    return None


def run(state):
    fd = open_pid_file(state)
    # who only looks whether one runs holds a shared lock for a moment
    for attempt in range(30):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError as error:
            if attempt == 29:
                raise Fault(f"already running in {state}") from error
            time.sleep(0.1)
    os.ftruncate(fd, 0)
    os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
    (state / "run" / "status").unlink(missing_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core of the receiver would hold the private key of TLS
    code = Supervisor(state, settle(state, is_supervisor=True)).run()
    os.ftruncate(fd, 0)
    return code


def stop(state):
    pid = running_pid(state)
    if pid is None:
        if (state / "run").is_dir():
            os.close(settle(state))
        print(f"not running: {state}")
        return 0
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_DEFAULT_S * 2 + STOP_S["postgresql"] + 30
    while running_pid(state) == pid:
        if time.monotonic() > deadline:
            raise Fault(f"the supervisor (pid {pid}) does not stop; see {state}/log/supervisor.log")
        time.sleep(0.05)
    print(f"stopped: {state}")
    return 0


def settle_only(state):
    os.close(settle(state))
    return 0


def database_facts(state):
    env = {**os.environ, "PGHOST": str(state / "run"), "PGUSER": "postgres", "PGCONNECT_TIMEOUT": "5"}
    sql = "select pg_size_pretty(pg_database_size('azekura')), (select coalesce(sum(stored), 0) from azekura.ledger)"
    result = subprocess.run(["psql", "-XAtq", "-F", "|", "-d", "azekura", "-c", sql], env=env, capture_output=True,
                            text=True, check=False, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        return None, (result.stderr.strip().splitlines() or ["no answer"])[0]
    size, stored = result.stdout.strip().split("|")
    return True, f"{size}, {int(stored):,} messages stored"


def status(state):
    pid = running_pid(state) if (state / "run").is_dir() else None
    if pid is None:
        print(f"not running: {state}")
        return 3
    facts = json.loads((state / "run" / "status").read_text(encoding="utf-8"))
    config = read_config(state)
    is_well = facts["phase"] == "ready"
    print(f"state       {state}")
    print(f"supervisor  pid {pid}, {facts['phase']}{': ' + facts['fault'] if facts['fault'] else ''}")
    for s in facts["services"]:
        if s["pid"]:
            since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(s["since"]))
            text = f"pid {s['pid']}, since {since}"
        else:
            text, is_well = f"not running: {s['last_line']}", False
        print(f"{s['name']:<11} {text}{', restarts: ' + str(s['restarts']) if s['restarts'] else ''}")
    print(f"console     http://{reachable(config['listen.http'])}/")
    try:
        listeners = ", ".join((state / "receiver" / "listeners").read_text(encoding="utf-8").splitlines())
    except OSError:
        listeners, is_well = "not listening", False
    print(f"syslog      {listeners}")
    answers, text = database_facts(state)
    print(f"database    {text}")
    return 0 if is_well and answers else 3


def main():
    commands = {"run": run, "stop": stop, "settle": settle_only, "status": status}
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        print(f"usage: {sys.argv[0]} run|stop|settle|status DIR", file=sys.stderr)
        return 2
    try:
        return commands[sys.argv[1]](pathlib.Path(sys.argv[2]))
    except PermissionError as error:
        print(f"supervise: {error.filename or 'the supervisor'}: not allowed; run this as the user who started it",
              file=sys.stderr)
    except (Fault, OSError) as error:
        print(f"supervise: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
