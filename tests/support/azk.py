"""The product as scenarios drive it: real daemons, a private PostgreSQL, free ports, a state folder.

    with Product() as box:
        box.send_udp([b"<13>hello"])
        box.wait_for_stored(1)
        box.assert_ledger(sent=1)

Nothing here sleeps for a duration: everything waits for what it needs to see.  When a scenario ends,
each daemon must stop in order, and its log must hold no error line that the scenario did not announce
with allow_errors().  As root the daemons run as user nobody and PostgreSQL as postgres; as another
user all run as that user.  Programs come from AZEKURA_BUILD; they are copied into the state folder,
since these users may not be able to enter a checkout.
"""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import traceback

from cluster import BUILD, SOURCE, TEST_PROGRAMS, Cluster

sys.path.append(str(SOURCE / "packaging"))
import supervise  # pylint: disable=wrong-import-position

DAEMONS = ("receiver", "keeper", "web")
ERROR_LINE = re.compile(
    r"\b(error|fatal|panic|alert|emerg|crit(ical)?)\b[:\]> ]|Sanitizer|runtime error|CHECK|assert", re.IGNORECASE)
DATABASE_ERROR = re.compile(r"\b(ERROR|FATAL|PANIC):")
WAIT_S = 180  # it ends what hangs; a machine with much else to do is given its time

Reply = collections.namedtuple("Reply", "status headers body")


class ScenarioFailure(AssertionError):
    """The product did not do what the scenario says."""


def wait_for(condition, what, seconds=WAIT_S, every=0.02):
    """Until condition() is true; its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise ScenarioFailure(f"waited {seconds} s in vain for: {what}")
        time.sleep(every)


def within(seconds):
    """What the product promises to do in `seconds`, on a machine that is as busy as this one: a process that has a tenth of
    a processor takes ten times as long."""
    return seconds * max(1, os.getloadavg()[0] / os.cpu_count())


def free_port():
    """A TCP port of loopback that nobody listens on now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def raise_receive_buffer():
    """What packaging/run.sh does as root: the kernel may grant the receive buffer that the receiver asks for.  Returns
    the bytes it may grant now."""
    limit = pathlib.Path("/proc/sys/net/core/rmem_max")
    delivered = (SOURCE / "rootfs/usr/lib/sysctl.d/60-azekura.conf").read_text(encoding="ascii")
    wanted = int(re.search(r"^net\.core\.rmem_max *= *(\d+)", delivered, re.MULTILINE)[1])
    if int(limit.read_text(encoding="ascii")) < wanted:
        with contextlib.suppress(OSError):
            limit.write_text(f"{wanted}\n", encoding="ascii")
    return int(limit.read_text(encoding="ascii"))


class Product:
    """`settings`: lines of the configuration file beside the harness's own (`TLS`: listen by TLS, too); `database`: the
    server's; `parent`: the folder in which the state folder is made; `holds_sockets`: as the supervisor does it, the
    receiver's sockets outlive it."""

    def __init__(self, settings=None, daemons=DAEMONS, database=None, parent="/tmp", holds_sockets=False):
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="azk-box-", dir=parent))
        self.state.chmod(0o755)
        self.program = self.state / "program"
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        self.daemons = daemons
        self.processes = {}
        # the harness asks whether the server is up until it is, and at the end stops it while a client that has
        # just left may still be known to it, or autovacuum be at work
        self.allowed = [re.compile("the database system is starting up"),
                        re.compile("terminating (connection|autovacuum process) due to administrator command")]
        self.tokens = {}
        self.http_port = free_port()
        self.settings = {
            "listen.udp": "127.0.0.1:0",
            "listen.tcp": "127.0.0.1:0",
            "listen.http": f"127.0.0.1:{self.http_port}",
            "time.zone": "UTC",
        } | (settings or {})
        try:
            self.copy_programs()
            self.cluster = Cluster(directory=self.state / "database", build=self.program, settings=database)
            for name in (*DAEMONS, "spool"):
                self.own_folder(self.state / name)
            (self.state / "log").mkdir()
            self.write_config()
            self.store = supervise.DescriptorStore(self.state / "notify", print) if holds_sockets else None
        except BaseException:
            shutil.rmtree(self.state, ignore_errors=True)
            raise

    def copy_programs(self):
        (self.program / "bin").mkdir(parents=True)
        (self.program / "pgext").mkdir()
        for path in sorted((BUILD / "bin").glob("azekura*")):
            shutil.copy(path, self.program / "bin")
        shutil.copy(BUILD / "pgext" / "azekura.so", self.program / "pgext")
        for part in ("profiles", "targets"):
            shutil.copytree(SOURCE / "firmware" / "bench" / part, self.program / "share" / "azekura" / "bench" / part)
        # as packaging/run.sh lays them out: the benchmark starts a private instance from here
        for part in ("migrations", "extension"):
            shutil.copytree(SOURCE / "sql" / part, self.program / "sql" / part)
        shutil.copy(SOURCE / "rootfs" / "usr" / "share" / "azekura" / "postgresql.conf", self.program)
        pages = SOURCE / "webui" / "dist"
        if pages.is_dir():
            shutil.copytree(pages, self.program / "webui")
        else:
            (self.program / "webui").mkdir()
        subprocess.run(["chmod", "-R", "a+rX", self.program], check=True)

    def own_folder(self, path):
        path.mkdir(exist_ok=True)
        if self.user:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def write_config(self):
        lines = {
            "state.dir": self.state,
            "database": self.cluster.conninfo(),
            "web.root": self.program / "webui",
            "database.sql_dir": self.program / "sql" / "migrations",
        } | self.settings
        self.config_file = self.state / "azekura.conf"
        self.config_file.write_text("".join(f"{n} = {v}\n" for n, v in lines.items()), encoding="utf-8")

    # ---- life ----

    def __enter__(self):
        try:
            self.cluster.start()
            self.cluster.install_extension()
            self.cli("migrate")
            for name in self.daemons:
                self.start(name)
        except BaseException:
            self.print_logs()
            self.throw_away()
            raise
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                for name in reversed(DAEMONS):
                    self.stop(name)
                self.cluster.halt()
                self.check_logs()
        except BaseException:
            kind = True
            raise
        finally:
            if kind is not None:
                self.print_logs()
            self.throw_away()

    def throw_away(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        self.cluster.stop()
        if self.store:
            self.store.close()
        if not os.environ.get("AZEKURA_KEEP_STATE"):
            shutil.rmtree(self.state, ignore_errors=True)

    def program_with_faults(self, name):
        """The daemon as the tests were built: a release has no points at which it is killed."""
        program = self.program / "faults" / f"azekura-{name}"
        if not program.exists():
            program.parent.mkdir(exist_ok=True)
            built = TEST_PROGRAMS.parent / "bin" / program.name
            if b"AZEKURA_FAULT" not in built.read_bytes():
                raise ScenarioFailure(f"{built} was built without the tests: it has no points at which it is killed")
            shutil.copy(built, program)
        return program

    def start(self, name, wait=True, under=(), fault=None):
        """Start a daemon; with `wait`, until it serves.  `under`: a command that runs it ("prlimit", …).  `fault`: the
        point at which it is killed (firmware/store/fault.h)."""
        if name == "receiver":
            (self.state / "receiver" / "listeners").unlink(missing_ok=True)
        argv = [*under, "setpriv", "--pdeathsig", "KILL", "--no-new-privs"]
        if self.user:
            argv += [f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]
        program = self.program_with_faults(name) if fault else self.program / "bin" / f"azekura-{name}"
        command, env, fds = [str(program), "--config", str(self.config_file)], {}, []
        if self.store and name == "receiver":
            command, env, fds = self.store.hand_over(command)
        argv += ["--", *command]
        with open(self.log_file(name), "ab") as log:
            self.processes[name] = subprocess.Popen(  # pylint: disable=consider-using-with
                argv, cwd=self.state / name, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=fds,
                env=os.environ | env | ({"AZEKURA_FAULT": fault} if fault else {}))
        if wait:
            self.wait_until_serving(name)

    def take_sockets(self):
        """What the receiver has given us to hold."""
        if self.store and "receiver" in self.processes:
            self.store.read(self.processes["receiver"].pid)

    def wait_until_serving(self, name):
        def serves():
            self.take_sockets()
            if self.processes[name].poll() is not None:
                raise ScenarioFailure(f"azekura-{name} ended with {self.processes[name].returncode}: "
                                      f"{self.log_text(name)[-2000:]}")
            if name == "receiver":
                return (self.state / "receiver" / "listeners").exists()
            if name == "web":
                with contextlib.suppress(OSError, http.client.HTTPException):
                    return self.request("GET", "/healthz").status in (200, 503)
                return False
            return True

        wait_for(serves, f"azekura-{name} serves")

    def stop(self, name, seconds=30):
        """SIGTERM; it must end with 0.  It does not wait for the answer to a statement (store/connection.h), and the
        server that was answering says so."""
        self.take_sockets()
        process = self.processes.pop(name, None)
        if process is None:
            return
        self.allow_errors("connection to client lost")
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired as late:
            process.kill()
            process.wait()
            raise ScenarioFailure(f"azekura-{name} did not stop within {seconds} s of SIGTERM") from late
        if code != 0:
            raise ScenarioFailure(f"azekura-{name} ended with {code}: {self.log_text(name)[-2000:]}")

    def kill(self, name):
        """kill -9.  The server may be answering it at that moment, and then says so."""
        self.allow_errors("connection to client lost")
        self.take_sockets()
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def pid(self, name):
        return self.processes[name].pid

    def is_sanitized(self):
        """Whether the receiver was built with a sanitizer, whose own memory cannot be told from it."""
        maps = pathlib.Path(f"/proc/{self.pid('receiver')}/maps").read_text(encoding="ascii")
        return "san.so" in maps or b"Sanitizer" in (self.program / "bin" / "azekura-receiver").read_bytes()

    # ---- logs ----

    def log_file(self, name):
        return self.state / "log" / f"{name}.log"

    def log_text(self, name):
        path = self.log_file(name)
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def allow_errors(self, pattern):
        """Error lines that match are part of the scenario."""
        self.allowed.append(re.compile(pattern))

    def check_logs(self):
        bad = []
        for name, pattern, text in (
            [(d, ERROR_LINE, self.log_text(d)) for d in DAEMONS]
            + [("postgresql", DATABASE_ERROR, self.cluster.log_text())]):
            for line in text.splitlines():
                if pattern.search(line) and not any(a.search(line) for a in self.allowed):
                    bad.append(f"{name}: {line}")
        if bad:
            raise ScenarioFailure("unexpected error lines:\n" + "\n".join(bad[:20]))

    def print_logs(self):
        for name in DAEMONS:
            print(f"---- {name}\n{self.log_text(name)[-4000:]}", file=sys.stderr)
        print(f"---- postgresql\n{self.cluster.log_text()[-4000:]}", file=sys.stderr)

    # ---- command line, database, API ----

    def cli(self, *args, check=True, stdin=None):
        """Run `azekura`; with `check` it must exit with 0.  Returns its standard output, or without `check` the
        finished process."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("PG")} | {"PGUSER": "postgres"}
        result = subprocess.run(
            [self.program / "bin" / "azekura", "--config", self.config_file, *map(str, args)], env=env, cwd="/",
            input=stdin, stdin=subprocess.DEVNULL if stdin is None else None, capture_output=True, text=True,
            check=False)
        if not check:
            return result
        if result.returncode != 0:
            raise ScenarioFailure(f"azekura {' '.join(map(str, args))}: exit {result.returncode}: {result.stderr}")
        return result.stdout

    def psql(self, sql, **kw):
        return self.cluster.psql(sql, **kw)

    def value(self, sql):
        return self.cluster.value(sql)

    def token(self, role="admin"):
        if role not in self.tokens:
            self.tokens[role] = self.cli("token", "create", "--role", role, "--name", f"scenario-{role}").strip()
        return self.tokens[role]

    def request(self, method, path, body=None, headers=None, timeout=WAIT_S):
        """One HTTP request, as it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            reply = connection.getresponse()
            return Reply(reply.status, reply.headers, reply.read())
        finally:
            connection.close()

    def api(self, method, path, body=None, role="admin", expect=200):
        """One request under /api/v1 with the token of a role (None: none).  Returns the JSON of the reply, its bytes
        when it is none, or None when it is empty; the status must be `expect`."""
        headers = {"Authorization": f"Bearer {self.token(role)}"} if role else {}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        reply = self.request(method, f"/api/v1{path}", data, headers)
        if reply.status != expect:
            raise ScenarioFailure(f"{method} {path}: {reply.status} in place of {expect}: {reply.body[:500]!r}")
        if not reply.body:
            return None
        is_json = reply.headers.get("Content-Type", "").startswith("application/json")
        return json.loads(reply.body) if is_json else reply.body

    # ---- sending ----

    def address(self, listener):
        """(host, port) where the receiver listens: "udp", "tcp" or "tls"."""
        for line in (self.state / "receiver" / "listeners").read_text(encoding="utf-8").splitlines():
            name, address = line.split()
            if name == listener:
                host, _, port = address.rpartition(":")
                return host.strip("[]"), int(port)
        raise ScenarioFailure(f"the receiver has no listener {listener}")

    def send_udp(self, messages, rate=None, source="127.0.0.1"):
        """One datagram each, at most `rate` a second, from an address of loopback.  Returns how many were sent."""
        n = 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind((source, 0))
            s.connect(self.address("udp"))
            begin = time.monotonic()
            for message in messages:
                s.send(message)
                n += 1
                if rate and n % 100 == 0:
                    # pacing is the sender's part in the scenario, not a wait for the product
                    time.sleep(max(0, begin + n / rate - time.monotonic()))
        return n

    def udp_unread(self):
        """Bytes that wait in the kernel for the receiver to read them: what was sent is not read at once when the
        machine is busy or the receiver slow (a sanitizer)."""
        port = self.address("udp")[1]
        unread = 0
        for table in ("udp", "udp6"):
            for line in pathlib.Path("/proc/net", table).read_text(encoding="ascii").splitlines()[1:]:
                local, queues = line.split()[1], line.split()[4]
                if int(local.rpartition(":")[2], 16) == port:
                    unread += int(queues.partition(":")[2], 16)
        return unread

    def send_tcp(self, messages, is_counted=False, rate=None, source="127.0.0.1"):
        """One connection from an address of loopback; newline frames, or octet-counted ones.  Returns how many were
        sent."""
        n = 0
        with socket.create_connection(self.address("tcp"), WAIT_S, (source, 0)) as s:
            s.settimeout(None)
            begin = time.monotonic()
            for part in batches(messages, 500):
                s.sendall(b"".join(frame(m, is_counted) for m in part))
                n += len(part)
                if rate:
                    time.sleep(max(0, begin + n / rate - time.monotonic()))
        return n

    def connect_tls(self, context=None, source="127.0.0.1"):
        """A connection by TLS, with its handshake done; without a context the box's certificate is not checked."""
        if context is None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        plain = socket.create_connection(self.address("tls"), WAIT_S, (source, 0))
        try:
            return context.wrap_socket(plain)
        except BaseException:
            plain.close()
            raise

    def send_tls(self, messages, is_counted=True, context=None, source="127.0.0.1"):
        """One connection by TLS, closed as RFC 5425 wants it.  Returns how many were sent."""
        n = 0
        with self.connect_tls(context, source) as s:
            for part in batches(messages, 500):
                s.sendall(b"".join(frame(m, is_counted) for m in part))
                n += len(part)
            with contextlib.suppress(OSError):
                s.unwrap().close()
        return n

    # ---- the ledger ----

    def ledger(self):
        """Sums of the ledger: arrived, stored, refused, and kernel (drops before the receiver)."""
        row = self.psql("""
            select coalesce(sum(arrived), 0), coalesce(sum(stored), 0),
                   coalesce(sum(refused), 0),
                   (select coalesce(sum(dropped), 0) from azekura.kernel_drop)
              from azekura.ledger""")[0]
        return dict(zip(("arrived", "stored", "refused", "kernel"), map(int, row)))

    def queued(self):
        rows = self.psql("select coalesce(sum(queued), 0) from azekura.receiver_status")
        return int(rows[0][0])

    def wait_for_stored(self, n, seconds=WAIT_S):
        return wait_for(lambda: self.ledger()["stored"] >= n, f"{n} messages stored", seconds, 0.1)

    def wait_for_arrived(self, n, seconds=WAIT_S):
        """Until n messages are named by the ledger: stored, refused, or dropped by the kernel."""
        def named():
            sums = self.ledger()
            return sums["stored"] + sums["refused"] + sums["kernel"] >= n
        return wait_for(named, f"{n} messages named by the ledger", seconds, 0.1)

    def assert_ledger(self, sent=None, seconds=WAIT_S):
        """arrived = stored + refused with nothing queued, every sent message is named, and azekura.logs holds what the
        ledger says is stored.  Returns the sums."""
        if sent is not None:
            with contextlib.suppress(ScenarioFailure):
                self.wait_for_arrived(sent, seconds)
        if "receiver" in self.processes:
            wait_for(lambda: self.queued() == 0, "nothing is queued", seconds, 0.1)
        sums = self.ledger()
        counted = int(self.value("select count(*) from azekura.logs"))
        if sums["arrived"] != sums["stored"] + sums["refused"]:
            raise ScenarioFailure(f"arrived is not stored + refused: {sums}")
        if counted != sums["stored"]:
            raise ScenarioFailure(f"azekura.logs holds {counted} messages, the ledger says {sums}")
        if sent is not None and sums["arrived"] + sums["kernel"] != sent:
            raise ScenarioFailure(f"{sent} messages were sent, the ledger names {sums}")
        return sums


TLS = {"listen.tls": "127.0.0.1:0"}


def batches(items, size):
    part = []
    for item in items:
        part.append(item)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def frame(message, is_counted):
    return b"%d %s" % (len(message), message) if is_counted else message + b"\n"


def numbered(n, prefix="message"):
    """n distinct messages of about a hundred bytes."""
    for i in range(n):
        yield (f"<{8 * (i % 24) + i % 8}>1 2026-11-30T12:00:00.{i % 1000000:06d}Z host{i % 50} app{i % 7} {i % 4000} - - "
               f"{prefix} {i} from 192.0.2.{i % 250} port {1024 + i * 7919 % 60000}").encode()


class Skipped(Exception):
    """This machine cannot do what the scenario needs; ctest shows it as skipped, never as passed."""


SKIPPED = 77  # SKIP_RETURN_CODE of tests/CMakeLists.txt


def run(scenario):
    """What a scenario file ends with: `if __name__ == "__main__": run(main)`."""
    # told to stop, it stops what it started and removes its folder too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        scenario()
    except Skipped as reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIPPED)
    except AssertionError as failure:
        where = traceback.extract_tb(failure.__traceback__)
        own = [f for f in where if f.filename != __file__] or where
        print(f"FAILED: {failure}\n  in line {own[-1].lineno} of {own[-1].filename}: {own[-1].line}", file=sys.stderr)
        sys.exit(1)
    print("passed")
