"""A process that starts the tests' servers and stops them all once its asker is gone.

The asker (pytest) talks to it over a pipe. Whatever ends pytest, `kill -9` included, closes the
pipe; the keeper then stops every server it started and removes their folder.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 10.0  # seconds a server may take to stop before it is killed


@dataclass(frozen=True)
class Account:
    """A user of this machine, to run a server that refuses to run as root."""

    user: int
    group: int


class Keeper:
    """The asker's side: starts servers that outlive neither it nor this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._turn = threading.Lock()
        # A session of its own, so that Ctrl-C reaches pytest alone and the tests' teardown still
        # finds its servers.
        self._process = subprocess.Popen(
            [sys.executable, "-I", __file__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def start(
        self,
        *argv: str | Path,
        log: Path,
        env: Mapping[str, str] | None = None,
        account: Account | None = None,
        stop: signal.Signals = signal.SIGTERM,
    ) -> "Kept":
        """Start a command whose output goes to `log` and which `stop` ends in good order."""
        pid = self._ask(
            argv=[str(word) for word in argv],
            log=str(log),
            env=dict(os.environ if env is None else env),
            account=[account.user, account.group] if account else None,
            stop=int(stop),
        )
        return Kept(self, pid, log, stop)

    def exit_code(self, pid: int, within: float) -> int | None:
        """Return how a command ended, or None if it still runs after `within` seconds."""
        code: int | None = self._ask(pid=pid, within=within)
        return code

    def close(self) -> None:
        """Stop every server and remove the folder."""
        self._process.communicate()

    def _ask(self, **question: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._turn:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        if not answer:
            raise ConnectionError(f"the keeper of the test servers is gone; asked: {question}")
        return json.loads(answer)


@dataclass(frozen=True)
class Kept:
    """A running command."""

    keeper: Keeper
    pid: int
    log: Path
    stop_signal: signal.Signals

    def exit_code(self, within: float = 0.0) -> int | None:
        """Return how it ended, or None if it still runs after `within` seconds."""
        return self.keeper.exit_code(self.pid, within)

    def kill_9(self) -> None:
        """Take it away in the middle of whatever it does, its children with it."""
        if self.exit_code() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.exit_code(within=PATIENCE)

    def stop(self) -> int | None:
        """Ask it to end, kill it if it will not, and return how it ended."""
        if self.exit_code() is None:
            os.kill(self.pid, self.stop_signal)
            if self.exit_code(within=PATIENCE) is None:
                self.kill_9()
        return self.exit_code()

    def said(self) -> str:
        """Return what it wrote so far."""
        return self.log.read_text(errors="replace")


def keep(folder: Path) -> None:
    """Do what the asker asks until it is gone; then stop everything and remove `folder`."""
    children: dict[int, tuple[subprocess.Popen[bytes], int]] = {}
    # Asked to leave while servers run: leave through the finally below.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        with contextlib.suppress(BrokenPipeError):
            for line in sys.stdin:
                question = json.loads(line)
                if "argv" in question:
                    child = _start(question)
                    children[child.pid] = child, question["stop"]
                    answer: int | None = child.pid
                else:
                    child, _ = children[question["pid"]]
                    answer = _exit_code(child, question["within"])
                sys.stdout.write(json.dumps(answer) + "\n")
                sys.stdout.flush()
    finally:
        for child, stop in reversed(children.values()):
            _end(child, stop)
        shutil.rmtree(folder, ignore_errors=True)


def _start(question: dict[str, Any]) -> subprocess.Popen[bytes]:
    account: dict[str, Any] = {}
    if question["account"]:
        user, group = question["account"]
        account = {"user": user, "group": group, "extra_groups": []}
    with Path(question["log"]).open("ab") as log:
        return subprocess.Popen(
            question["argv"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=question["env"],
            start_new_session=True,
            **account,
        )


def _exit_code(child: subprocess.Popen[bytes], within: float) -> int | None:
    try:
        return child.wait(within)
    except subprocess.TimeoutExpired:
        return None


def _end(child: subprocess.Popen[bytes], stop: int) -> None:
    if child.poll() is None:
        child.send_signal(stop)
        if _exit_code(child, PATIENCE) is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
