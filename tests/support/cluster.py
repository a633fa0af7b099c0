"""A private PostgreSQL of a test: its own folder, its own socket, no TCP port, stopped by its pid.

    with Cluster() as db:
        db.apply_migrations()
        db.psql("select 1")            # [('1',)]

Needs Debian's postgresql-15.  The server never runs as root: a root caller's server runs as user
postgres.  The extension's library is taken from the build folder (dynamic_library_path); its control
and SQL files have to stand in PostgreSQL's share folder, where install_extension() puts them.
"""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

PG_BIN = pathlib.Path("/usr/lib/postgresql/15/bin")
SOURCE = pathlib.Path(os.environ.get("AZEKURA_SOURCE", pathlib.Path(__file__).resolve().parents[2])).resolve()
BUILD = pathlib.Path(os.environ.get("AZEKURA_BUILD", SOURCE / "build")).resolve()
# what the tests' own programs were built into: not always the build folder of the product that is tested
TEST_PROGRAMS = pathlib.Path(os.environ.get("AZEKURA_TEST_PROGRAMS") or BUILD / "tests").resolve()
NULL, FIELD, RECORD = "\x1a", "\x1f", "\x1e"


class PsqlError(Exception):
    """psql failed; the message is what it wrote."""


class Cluster:
    """`directory`: kept folder of the cluster (made if missing); None: a temporary one, removed by stop()."""

    def __init__(self, directory=None, build=None, database="azekura", settings=None):
        self.is_temporary = directory is None
        self.root = pathlib.Path(directory or tempfile.mkdtemp(prefix="azk-pg-", dir="/tmp"))
        self.root.mkdir(parents=True, exist_ok=True)
        self.data = self.root / "data"
        self.socket_dir = self.root / "run"
        self.log_file = self.root / "postgresql.log"
        self.build = pathlib.Path(build or os.environ.get("AZEKURA_BUILD", SOURCE / "build" / "dev")).resolve()
        self.database = database
        self.settings = settings or {}
        self.process = None
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        self.socket_dir.mkdir(exist_ok=True)
        if self.user:
            for path in (self.root, self.socket_dir):
                os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # ---- the server ----

    def as_server_user(self, argv):
        """The command line that runs argv as the server's user; dies with this process."""
        prefix = ["setpriv", "--pdeathsig", "INT"]
        if self.user:
            prefix += [f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]
        return prefix + [str(a) for a in argv]

    def initdb(self):
        result = subprocess.run(
            self.as_server_user([PG_BIN / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                                 "--locale=C.UTF-8", "--no-sync", "--no-instructions"]),
            cwd="/", capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"initdb in {self.data}: {result.stderr}")
        settings = {
            "listen_addresses": "''",
            "unix_socket_directories": f"'{self.socket_dir}'",
            "dynamic_library_path": f"'{self.library_dir()}:$libdir'",
            "fsync": "off",
            "full_page_writes": "off",
            "shared_buffers": "64MB",
            "max_connections": "40",
            "log_min_messages": "warning",
            "timezone": "'UTC'",
        } | self.settings
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            for name, value in settings.items():
                conf.write(f"{name} = {value}\n")

    def library_dir(self):
        """Where the server finds the extension's library: the build folder, or a copy when the server's user cannot
        enter that (a checkout under /root)."""
        built = self.build / "pgext"
        readable = subprocess.run(self.as_server_user(["test", "-r", built / "azekura.so"]), check=False)
        if readable.returncode == 0 or not (built / "azekura.so").exists():
            return built
        copy = self.root / "pgext"
        copy.mkdir(exist_ok=True)
        shutil.copy(built / "azekura.so", copy)
        (copy / "azekura.so").chmod(0o644)
        return copy

    def start(self):
        """Start (making the cluster and the database when they are missing) and wait until it answers."""
        is_new = not (self.data / "PG_VERSION").exists()
        if is_new:
            self.initdb()
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen(self.as_server_user([PG_BIN / "postgres", "-D", self.data]),
                                            cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.wait_ready()
        if is_new and self.database != "postgres":
            self.psql(f'create database "{self.database}"', database="postgres")

    def wait_ready(self, seconds=60):
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            answer = subprocess.run([PG_BIN / "pg_isready", "-q", "-h", self.socket_dir, "-d", "postgres",
                                     "-U", "postgres"], check=False)
            if answer.returncode == 0:
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not start: {self.log_text()[-2000:]}")

    def halt(self, sig=signal.SIGINT, seconds=60):
        """Stop the server, keep its data: SIGINT is a fast shutdown, SIGQUIT an immediate one."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(sig)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait(seconds)
        self.process = None

    @contextlib.contextmanager
    def hung(self):
        """While it lasts the server's processes stand still: connections stay, nothing answers."""
        stopped = [self.process.pid]
        os.kill(self.process.pid, signal.SIGSTOP)  # first: from now on no child is added
        try:
            for pid in self.children():
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    os.kill(pid, signal.SIGSTOP)
                    stopped.append(pid)
            yield
        finally:
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def children(self):
        found = subprocess.run(["ps", "--ppid", str(self.process.pid), "-o", "pid="], capture_output=True, text=True, check=False)
        return [int(pid) for pid in found.stdout.split()]

    def stop(self):
        """Stop the server and remove a temporary folder."""
        self.halt()
        if self.is_temporary:
            shutil.rmtree(self.root, ignore_errors=True)

    def log_text(self):
        return self.log_file.read_text(encoding="utf-8", errors="replace") if self.log_file.exists() else ""

    # ---- SQL ----

    def conninfo(self, user=None):
        """A libpq connection string."""
        text = f"host={self.socket_dir} dbname={self.database}"
        return f"{text} user={user}" if user else text

    def psql_argv(self, user="postgres", database=None):
        return ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.socket_dir), "-U", user,
                "-d", database or self.database]

    def psql(self, sql, user="postgres", database=None):
        """Run SQL; the rows of its one result (no more statements may give rows) as tuples of text, None
        for null.  PsqlError when it fails."""
        result = subprocess.run(
            self.psql_argv(user, database) + ["-A", "-t", "-F", FIELD, "-R", RECORD, "-P", f"null={NULL}", "-f", "-"],
            input=sql, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise PsqlError(result.stderr.strip())
        # psql ends a result with a newline and separates rows within it by RECORD
        text = result.stdout.removesuffix("\n")
        if not text:
            return []
        return [tuple(None if f == NULL else f for f in row.split(FIELD)) for row in text.split(RECORD)]

    def value(self, sql, **kw):
        """The only value of a query."""
        rows = self.psql(sql, **kw)
        if len(rows) != 1 or len(rows[0]) != 1:
            raise PsqlError(f"one value expected from {sql!r}, got {rows!r}")
        return rows[0][0]

    def psql_file(self, path, user="postgres", one_transaction=True):
        argv = self.psql_argv(user) + (["-1"] if one_transaction else []) + ["-f", str(path)]
        result = subprocess.run(argv, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise PsqlError(f"{path}: {result.stderr.strip()}")
        return result.stdout

    def apply_migrations(self):
        """Every file of sql/migrations in order, one transaction each."""
        self.install_extension()
        for path in sorted((SOURCE / "sql" / "migrations").glob("[0-9]*.sql")):
            self.psql_file(path)

    def install_extension(self):
        """Put azekura.control and its SQL where CREATE EXTENSION looks, where they differ (needs root then)."""
        share = subprocess.run([PG_BIN / "pg_config", "--sharedir"], capture_output=True, text=True, check=True)
        target = pathlib.Path(share.stdout.strip()) / "extension"
        for path in sorted((SOURCE / "sql" / "extension").glob("azekura*")):
            installed = target / path.name
            wanted = path.read_bytes()
            if installed.exists() and installed.read_bytes() == wanted:
                continue
            if not os.access(target, os.W_OK):
                raise RuntimeError(f"{installed} is missing or differs from {path}: copy it there as root")
            # a rename, so that a server that reads it at this moment sees the old or the new file whole
            with tempfile.NamedTemporaryFile(dir=target, prefix=".azekura-", delete=False) as new:
                new.write(wanted)
                new.flush()
                os.fchmod(new.fileno(), 0o644)
            os.rename(new.name, installed)
