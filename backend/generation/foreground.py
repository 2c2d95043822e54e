"""Works through a run in this process, its threads claiming rows as any worker does."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from backend.generation import calling, controlling, dealing, writing
from backend.generation.models import Run
from backend.generation.presenting import Progress, is_capped, progress

LOOK_EVERY = 0.25  # seconds; so long a poem's end, or another worker's, may go unnoticed
SLEEP = 1.0  # seconds while nothing can be done
TELL_EVERY = 1.0  # seconds
SWEEP_EVERY = 5.0  # seconds
# While the database is away; a restart of it takes less than the latter.
TRY_EVERY, AWAY_AT_MOST = 1.0, 15 * 60.0  # seconds
AWAY = (OperationalError, InterfaceError)

Tell = Callable[[Progress], None]
Say = Callable[[str], None]
Result = TypeVar("Result")

logger = logging.getLogger("blindverse.generation")


def work_through(
    run: Run,
    *,
    threads: int,
    tell: Tell,
    say: Say = logger.warning,
    stop: threading.Event | None = None,
) -> str:
    """Write what is left of a run, waits sat out, and return why it ended.

    `tell` is called in this thread, about once a second and at the end; so is `say`, where there
    is something to be said besides. When `stop` is set, no poem is begun any more; those under way
    end and are kept. A poem that an error breaks off is taken up again when its lease is over.

    Returns
    -------
    str
        "done", "cancelled", "stopped", or "cap" if nothing that is left can be asked under the cap.

    Raises
    ------
    django.db.OperationalError, django.db.InterfaceError
        If the database is away for a quarter of an hour.
    """
    stop = stop or threading.Event()
    try:
        return _Foreground(run, threads, tell, say, stop).work()
    except AWAY:
        if stop.is_set():
            return "stopped"
        raise


class _Foreground:
    def __init__(self, run: Run, threads: int, tell: Tell, say: Say, stop: threading.Event) -> None:
        self._run = run
        self._rows = run.generations.all()
        self._threads = threads
        self._tell = tell
        self._say = say
        self._stop = stop
        self._told_at = self._swept_at = -SWEEP_EVERY
        self._under_way: set[Future[None]] = set()

    def work(self) -> str:
        with ThreadPoolExecutor(self._threads, thread_name_prefix="write") as pool:
            try:
                ended = self._work(pool)
            finally:
                # With time-outs, so that the main thread hears a signal.
                while self._under_way:
                    self._wait_for_one(SLEEP)
        self._tell(self._outlast(lambda: progress(self._run)))
        return ended

    def _work(self, pool: ThreadPoolExecutor) -> str:
        while True:
            if self._stop.is_set():
                return "stopped"
            again_at = self._outlast(lambda: self._begin(pool))
            if not self._under_way and (ended := self._outlast(self._ended)):
                return ended
            self._tell_now_and_then()
            if self._under_way:
                self._wait_for_one(LOOK_EVERY)
            else:
                self._sleep(again_at)

    def _begin(self, pool: ThreadPoolExecutor) -> datetime | None:
        """Begin what can be begun, and return when to look again."""
        # As many again as there are threads: so none waits for the next look.
        room = 2 * self._threads - len(self._under_way)
        if room <= self._threads // 2:
            return None
        now = timezone.now()
        self._sweep_now_and_then(now)
        dealt = dealing.look(now, run=self._run, most=room)
        self._under_way |= {pool.submit(_write, key) for key in dealt.keys}
        return dealt.again_at

    def _sweep_now_and_then(self, now: datetime) -> None:
        if time.monotonic() >= self._swept_at + SWEEP_EVERY:
            self._swept_at = time.monotonic()
            calling.mark_lost(now)
            self._rows.give_up_lost(now)
            dealing.free_cancelled(now)
            controlling.end_cancelled()

    def _wait_for_one(self, seconds: float) -> None:
        if self._stop.is_set():
            self._under_way -= {future for future in self._under_way if future.cancel()}
        done, self._under_way = wait(self._under_way, seconds, return_when=FIRST_COMPLETED)
        for future in done:
            if problem := future.exception():
                self._note_broken_off(problem)

    def _note_broken_off(self, problem: BaseException) -> None:
        logger.error("A poem was broken off", exc_info=problem)
        kind = type(problem).__name__
        self._say(f"A poem was broken off by an error ({kind}); it is taken up again in a minute.")

    def _outlast(self, ask: Callable[[], Result]) -> Result:
        """Ask the database what may be asked twice, again and again while it is away."""
        away_since = None
        while True:
            try:
                answer = ask()
            except AWAY:
                connection.close()
                if away_since is None:
                    away_since = time.monotonic()
                    self._say("The database does not answer. Waiting for it; Ctrl-C stops.")
                if self._stop.is_set() or time.monotonic() > away_since + AWAY_AT_MOST:
                    raise
                self._stop.wait(TRY_EVERY)
            else:
                if away_since is not None:
                    self._say("The database answers again.")
                return answer

    def _sleep(self, again_at: datetime | None) -> None:
        left = (again_at - timezone.now()).total_seconds() if again_at else SLEEP
        self._stop.wait(min(max(left, 0.05), SLEEP))

    def _ended(self) -> str:
        left = self._rows.unfinished()
        if not left.exists():
            cancelled = Run.objects.filter(pk=self._run.pk, state=Run.State.CANCELLED).exists()
            return "cancelled" if cancelled else "done"
        return "cap" if is_capped(self._run) else ""

    def _tell_now_and_then(self) -> None:
        if time.monotonic() >= self._told_at + TELL_EVERY:
            self._told_at = time.monotonic()
            self._tell(self._outlast(lambda: progress(self._run)))


def _write(generation_id: int) -> None:
    try:
        writing.write_poem(generation_id)
    finally:
        connection.close()  # this thread's own
