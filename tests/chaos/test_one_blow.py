"""One blow at a time, in the middle of calls: nothing is lost, nothing answered is asked again."""

import psycopg
import pytest

from tests.chaos.posting import kill_in_the_middle, start_run
from tests.chaos.world import Asked, World, check, until
from tests.services.waiting import soon

pytestmark = [pytest.mark.workers, pytest.mark.slow]

WRITER = ("openai", "writer")


def test_what_a_killed_worker_had_in_hand_is_asked_again_within_a_minute(world: World) -> None:
    worker = world.worker(threads=8)
    world.endpoint.script(latency=300.0)
    waiting = world.ask_for("Waiting", WRITER, briefs=4, seconds=180)
    until(waiting, lambda: world.under_way() == 4)
    world.endpoint.script(latency=3.0)
    answered = world.ask_for("Answered", WRITER, briefs=4, seconds=180)
    until(answered, lambda: world.under_way() == 8)

    with psycopg.connect(world.site.database.url) as link:
        # The answers that come now are not stored: those who would have are thrown out.
        link.execute("LOCK TABLE generation_call IN SHARE ROW EXCLUSIVE MODE")
        until(answered, lambda: world.endpoint.count()["delivered"] == 4)
        worker.kill_9()
        link.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock'"
        )
    world.worker(threads=8)

    until(answered, lambda: answered.is_over() and waiting.is_over(), within=60)
    # Who went before the answer is not answered, and not billed. What was answered was billed, and
    # is given again.
    for asked in (waiting, answered):
        assert check(asked)["calls lost"] == 4
    counted = world.endpoint.count()
    assert (counted["requests"], counted["written"], counted["replayed"]) == (16, 8, 4)


@pytest.mark.parametrize("crash", [False, True], ids=["restart", "crash"])
def test_an_answer_that_comes_while_the_database_is_away_is_kept_and_asked_for_once(
    world: World, *, crash: bool
) -> None:
    world.worker(threads=4)
    world.endpoint.script(latency=3.0)
    asked = world.ask_for(f"Away {crash}", WRITER, briefs=4)
    until(asked, lambda: world.under_way() == 4)

    world.site.database.stop(crash=crash)
    assert soon(lambda: world.endpoint.count()["delivered"] == 4)
    world.site.database.restart()

    until(asked, asked.is_over)
    told = check(asked)
    assert (told["done"], told["asked"], told["given again"]) == (4, 4, 0)


def test_messages_that_redis_forgot_are_sent_again(world: World) -> None:
    world.worker(threads=2)
    world.endpoint.script(latency=1.0)
    asked = world.ask_for("Flushed", WRITER, briefs=40)
    until(asked, lambda: asked.finished() > 0)

    world.site.broker.flush()

    until(asked, asked.is_over, within=120)
    told = check(asked)
    assert (told["done"], told["asked"]) == (40, 40)


def test_work_goes_on_when_redis_comes_back_and_a_run_can_be_started_meanwhile(
    world: World,
) -> None:
    world.worker(threads=4)
    world.endpoint.script(latency=1.0)
    shelf = world.shelf("Meanwhile", WRITER, briefs=8)
    world.serve()
    asked = world.ask_for("Without Redis", WRITER, briefs=20)
    until(asked, lambda: asked.finished() > 0)

    world.site.broker.stop()
    status, run = start_run(world, shelf)
    assert status == 201
    until(asked, lambda: world.under_way() == 0)
    world.site.broker.restart()

    until(asked, asked.is_over, within=120)
    meanwhile = Asked(world, run, "Meanwhile")
    until(meanwhile, meanwhile.is_over, within=120)
    assert meanwhile.states() == {"done": 8}
    assert asked.states() == {"done": 20}
    assert world.endpoint.count()["requests"] == 28


def test_a_web_server_killed_in_the_middle_of_a_post_leaves_a_whole_run_or_none(
    world: World,
) -> None:
    world.worker(threads=4)
    shelf = world.shelf("Half", WRITER, briefs=30)

    kill_in_the_middle(world, shelf, world.serve())

    world.serve()
    assert not world.site.rows("SELECT 1 FROM generation_run WHERE name = 'Half'")
    status, run = start_run(world, shelf)
    assert status == 201
    assert start_run(world, shelf)[0] == 409
    asked = Asked(world, run, "Half")
    until(asked, asked.is_over)
    told = check(asked)
    assert (told["done"], told["written"]) == (30, 30)


def test_an_endpoint_that_goes_away_and_comes_back_finds_what_waits_for_it(world: World) -> None:
    world.worker(threads=8)
    world.endpoint.script(latency=1.0)
    asked = world.ask_for("Cut", WRITER, briefs=24, at_once=8)
    until(asked, lambda: asked.finished() > 0 and world.under_way() > 0)

    world.cable.cut()
    until(asked, lambda: bool(asked.calls("1", error_kind="unreachable")))
    world.cable.mend()

    until(asked, asked.is_over, within=120)
    told = check(asked)
    assert told["written"] == 24
