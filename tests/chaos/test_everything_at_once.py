"""Six hundred poems, 32 at a time, while everything that can be struck is struck."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.chaos.posting import kill_in_the_middle, start_run
from tests.chaos.world import Asked, World, check, until
from tests.services.waiting import soon

pytestmark = [pytest.mark.workers, pytest.mark.slow]

BRIEFS = 60
MODELS = (
    *[("openai", f"writer-{number}") for number in range(5)],
    ("anthropic", "writer-a"),
    ("gemini", "writer-g"),
    ("openai", "think"),
    ("openai", "no-usage"),
    ("openai", "unknown"),  # refuses every request
)
THREADS = 16  # of each of two workers
Blow = Callable[[], None]


def test_every_row_ends_and_each_answered_call_was_made_once(world: World) -> None:
    world.endpoint.script(latency=0.8, jitter=0.4)
    for _ in range(2):
        world.worker(THREADS)
    shelf = world.shelf("Chaos", *MODELS, briefs=BRIEFS, at_once=32, seconds=10)
    kill_in_the_middle(world, shelf, world.serve())
    world.serve()
    status, run = start_run(world, shelf)
    assert status == 201
    asked = Asked(world, run, shelf.name)

    for number, blow in enumerate(_blows(world, asked), start=1):
        until(asked, lambda number=number: asked.finished() >= 35 * number or asked.is_over())
        assert not asked.is_over(), f"all was over before blow {number}"
        blow()

    until(asked, asked.is_over, within=180)
    told = check(asked, all_done=False)
    print(told)  # noqa: T201
    failed = Counter(
        world.site.rows(
            "SELECT model.model_id, error_kind FROM generation_generation AS row"
            " JOIN generation_languagemodel AS model ON model.id = row.model_id"
            " WHERE run_id = %s AND status = 'failed'",
            asked.run,
        )
    )
    # Of those that it would refuse, too, it answers the few that it breaks off in the middle.
    assert failed.pop(("unknown", "request")) > BRIEFS // 2
    assert failed.total() <= 12, failed  # tried again and again, and struck each time
    assert told["most at once"] <= 32


def _blows(world: World, asked: Asked) -> list[Blow]:
    """What happens, in this order, each after another 35 rows are finished."""
    script, site = world.endpoint.script, world.site
    return [
        lambda: _kill(world, 0),
        lambda: _go_away(world, asked),
        lambda: _kill(world, 1),
        lambda: script(parallel=8, retry_after=1.0),  # 429 to whoever comes as the ninth
        site.broker.flush,
        lambda: script(parallel=None, shares={"server": 0.03, "reset": 0.03, "drop": 0.02}),
        site.database.restart,
        lambda: script(shares={"busy-seconds": 0.05, "overloaded": 0.02}),
        lambda: site.database.restart(crash=True),
    ]


def _go_away(world: World, asked: Asked) -> None:
    """Let the endpoint go away in the middle of its answers, and come back where it was."""
    world.cable.cut()
    until(asked, lambda: bool(asked.calls("1", error_kind="unreachable")))
    world.cable.mend()


def _kill(world: World, number: int) -> None:
    """Take a worker away in the middle of its calls, and start another in its place."""
    assert soon(lambda: world.under_way() > 0)
    world.workers[number].kill_9()
    world.worker(THREADS)
