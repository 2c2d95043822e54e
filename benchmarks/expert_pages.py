"""The expert's page and draft under load: 50 experts at once, PostgreSQL, one machine.

Each expert asks without think time, or once a second; web server, database and load share the
machine, and the database writes to disk before it answers. The baseline of the ratio is /healthz on
the same server in the same run: what Django answers when it has nothing to do.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable

from benchmarks.harness.loading import (
    Asker,
    Site,
    Times,
    baseline_of,
    for_a_while,
    heads,
    row,
    site,
)
from benchmarks.harness.studies import make
from benchmarks.judging import Judging

EXPERTS = 50
SECONDS = 8.0
# What the page of a poem sends for a script to know.
TOKEN = re.compile(rb"/poem/([\w-]+)/")


async def main(found: Site) -> None:
    askers = make(found, items=300, k=3, experts=EXPERTS)
    print(f"{EXPERTS} experts at once, {SECONDS:.0f} s each, {found.database}, 2 web processes")
    heads("request")
    baseline = await baseline_of(askers)
    judging = Judging()
    for asker in askers:
        await judging.take(asker)

    async def page(asker: Asker) -> bool:
        path = f"/desk/{asker.secret}/poem/{judging.held[asker.secret]}/"
        status, content = await asker.ask("GET", path)
        return status == 200 and TOKEN.search(content) is not None

    async def draft(asker: Asker) -> bool:
        return await judging.keep_draft(asker)

    asked: tuple[tuple[str, Callable[[Asker], Awaitable[bool]], float], ...] = (
        ("item page", page, 0.0),
        ("save a draft", draft, 0.0),
        ("item page, 1/s each", page, 1.0),
        ("draft, 1/s each", draft, 1.0),
    )
    for name, ask, every in asked:
        times = Times()

        async def work(asker: Asker, ask=ask, times=times) -> None:  # type: ignore[no-untyped-def]
            await times.time(ask(asker))

        took = await for_a_while(askers, work, seconds=SECONDS, every=every)
        row(name, len(times.taken) / took, times, baseline)


if __name__ == "__main__":
    with site() as running:
        asyncio.run(main(running))
