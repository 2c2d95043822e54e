"""Next item and save, as a pair: 50 experts without think time, exact K, PostgreSQL.

The rows named "pair" are what other systems were measured by: an expert asks for the next item and
saves a full judgment of it (ten Likert items and a comment). At the end the ledger is counted: no
item may have more than K judgments, and each acknowledged answer must be there, once. The baseline
of the ratio is /healthz on the same server in the same run: what Django answers when it has nothing
to do.
"""

import asyncio
import json

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
from benchmarks.harness.studies import ANSWERS, check, make

EXPERTS, MANY = 50, 200
SECONDS = 10.0
K = 3


class Judging:
    """What an expert does, timed, and how many answers were acknowledged."""

    def __init__(self) -> None:
        self.next, self.save, self.draft, self.page = Times(), Times(), Times(), Times()
        self.acknowledged = 0
        self.held: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    async def pair(self, asker: Asker) -> None:
        if await self.take(asker):
            await self.save.time(self._save(asker))
        else:
            await asyncio.sleep(1.0)

    async def take(self, asker: Asker) -> bool:
        return await self.next.time(self._next(asker))

    async def only_save(self, asker: Asker) -> None:
        if await self._next(asker):
            await self.save.time(self._save(asker))

    async def only_save_held(self, asker: Asker) -> None:
        if asker.secret in self.held:
            await self.save.time(self._save(asker))

    async def drafting(self, asker: Asker) -> None:
        if asker.secret in self.held or await self.take(asker):
            await self.draft.time(self.keep_draft(asker))

    async def _next(self, asker: Asker) -> bool:
        status, content = await asker.ask("POST", f"/api/desk/{asker.secret}/next/")
        if status == 200:
            self.held[asker.secret] = json.loads(content)["token"]
        return status == 200

    async def _save(self, asker: Asker) -> bool:
        token = self.held.pop(asker.secret)
        self.versions.pop(asker.secret, None)
        path = f"/api/desk/{asker.secret}/poem/{token}/judgment/"
        status, _ = await asker.ask("POST", path, {"answers": ANSWERS, "milliseconds": 61_000})
        self.acknowledged += status == 201
        return status == 201

    async def keep_draft(self, asker: Asker) -> bool:
        token, version = self.held[asker.secret], self.versions.get(asker.secret, 0)
        answers = {"form": "4", "quality_comment": f"A comment, version {version}."}
        status, content = await asker.ask(
            "PUT",
            f"/api/desk/{asker.secret}/poem/{token}/draft/",
            {"answers": answers, "version": version, "milliseconds": 1000 * version},
        )
        if status == 200:
            self.versions[asker.secret] = json.loads(content)["version"]
        return status == 200


async def main(found: Site) -> None:
    print(f"{found.database}, fsync on, 2 web processes, load on the same machine")
    heads("request")
    baseline = await baseline_of(make(found, items=300, k=K, experts=EXPERTS))
    for name, dealing in (("a set at a time", "batch"), ("drawn one by one", "draw")):
        judging = Judging()
        askers = make(found, items=3000, k=K, experts=EXPERTS, dealing=dealing)
        took = await for_a_while(askers, judging.pair, seconds=SECONDS)
        pairs = len(judging.save.taken) / took
        print(f"{EXPERTS} experts without think time, {name}: {pairs:.0f} pairs/s")
        row("  pair: next item", len(judging.next.taken) / took, judging.next, baseline)
        row("  pair: save", pairs, judging.save, baseline)
        check(found, k=K, acknowledged=judging.acknowledged)
    judging = Judging()
    askers = make(found, items=3000, k=K, experts=EXPERTS)
    took = await for_a_while(askers, judging.only_save, seconds=SECONDS, every=1.0)
    print(f"{EXPERTS} experts, each saving once a second")
    row("  save", len(judging.save.taken) / took, judging.save, baseline)
    judging = Judging()
    askers = make(found, items=3000, k=K, experts=MANY)
    took = await for_a_while(askers, judging.take, seconds=4.0, every=4.0)
    judging.next = Times()
    judging.held.clear()
    took = await for_a_while(askers, judging.drafting, seconds=SECONDS, every=2.0)
    print(f"{MANY} experts, a draft every two seconds each")
    row("  draft", len(judging.draft.taken) / took, judging.draft, baseline)
    row("  next item", len(judging.next.taken) / took, judging.next, baseline)


if __name__ == "__main__":
    with site() as found:
        asyncio.run(main(found))
