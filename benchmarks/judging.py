"""Next item and save, as a pair: 50 experts without think time, exact K, PostgreSQL.

The rows named "pair" are what other systems were measured by: an expert asks for the next item and
saves a full judgment of it (ten Likert items and a comment). At the end the ledger is counted: no
item may have more than K judgments, and each acknowledged answer must be there, once. The baseline
of the ratio is /healthz on the same server in the same run: what Django answers when it has nothing
to do.
"""

import asyncio
import json
import sys

from benchmarks.loading import Asker, Site, Times, for_a_while, site

EXPERTS, MANY = 50, 200
SECONDS = 10.0
LIKERT = (
    "form", "theme", "lexical_diversity", "creativity", "idiosyncrasy", "emotional_resonance",
    "imagery", "literary_devices", "quality", "human_authorship",
)  # fmt: skip
ANSWERS = {**dict.fromkeys(LIKERT, "4"), "quality_comment": "The turn comes a line too early."}
MAKE = """
from tests.annotation.panel import open_study, expert
from annotation.studies import links
from annotation.studies.models import Item, Study
study = open_study(items={items}, judges_per_item={k}, batch=10)
items = list(study.items.order_by("pk"))
for number, item in enumerate(items):
    item.stratum, item.twin = f"s{{number % 10}}", f"t{{number // 10}}"
    item.form = f"f{{number // 10 % 5}}"
    item.text = POEM
Item.objects.bulk_update(items, ["stratum", "twin", "form", "text"], batch_size=2000)
study.slug = f"bench-{{study.pk}}"
study.dealing, study.twins = "{dealing}", "{twins}"
study.save()
print(*[links.link_for(expert(study)).secret for _ in range({experts})])
"""
POEM = "\\n".join(["When to the sessions of sweet silent thought"] * 14)
COUNT = """
from collections import Counter
from annotation.studies.models import Study, Assignment
from annotation.judgments.models import Judgment
study = Study.objects.latest("pk")
held = Assignment.objects.holding().filter(item__study=study)
most = max(Counter(held.values_list("item_id", flat=True)).values(), default=0)
twice = Judgment.objects.filter(assignment__judge__study=study).count()
print(most, twice, study.items.filter(places_taken__gt=study.judges_per_item).count())
"""


def make(found: Site, *, items: int, k: int, experts: int, **more: str) -> list[Asker]:
    """Open a study of ten authors and as many briefs as that makes; return its experts."""
    fields = {"dealing": "batch", "twins": "last", **more}
    script = MAKE.format(items=items, k=k, experts=experts, **fields)
    return [Asker(secret) for secret in found.shell(f"POEM = '{POEM}'\n{script}")]


async def health(asker: Asker) -> bool:
    return (await asker.ask("GET", "/healthz"))[0] == 200


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

    async def drafting(self, asker: Asker) -> None:
        if asker.secret in self.held or await self.take(asker):
            await self.draft.time(self._draft(asker))

    async def _next(self, asker: Asker) -> bool:
        status, content = await asker.ask("POST", f"/api/desk/{asker.secret}/next/")
        if status == 200:
            self.held[asker.secret] = json.loads(content)["token"]
        return status == 200

    async def _save(self, asker: Asker) -> bool:
        token = self.held.pop(asker.secret)
        path = f"/api/desk/{asker.secret}/poem/{token}/judgment/"
        status, _ = await asker.ask(
            "POST", path, {"answers": ANSWERS, "version": 0, "milliseconds": 61_000}
        )
        self.acknowledged += status == 201
        return status == 201

    async def _draft(self, asker: Asker) -> bool:
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


def row(name: str, rate: float, times: Times, baseline: float) -> None:
    cells = (
        f"{rate:.0f}", f"{times.p(50):.1f}", f"{times.p(95):.1f}", f"{rate / baseline:.3f}",
        times.refused,
    )  # fmt: skip
    print(f"{name:<34}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def check(found: Site, judging: Judging) -> None:
    most, stored, over = (int(word) for word in found.shell(COUNT))
    print(
        f"  most places held on one item: {most}; items over K: {over}; "
        f"answers acknowledged: {judging.acknowledged}, stored: {stored}"
    )
    assert over == 0, "an item has more judges than K"
    assert stored == judging.acknowledged, "an answer was lost, or is there twice"


async def main(found: Site) -> None:
    heads = ("per second", "median ms", "p95 ms", "ratio", "refused")
    print(f"{found.database}, fsync on, 2 web processes, load on the same machine")
    print(f"{'request':<34}" + "".join(f"{head:>12}" for head in heads))
    askers = make(found, items=3000, k=3, experts=EXPERTS)
    idle = Times()

    async def asked(asker: Asker) -> None:
        await idle.time(health(asker))

    took = await for_a_while(askers, asked, seconds=5)
    baseline = len(idle.taken) / took
    row("/healthz (baseline)", baseline, idle, baseline)
    for name, dealing in (("a set at a time", "batch"), ("drawn one by one", "draw")):
        judging = Judging()
        askers = make(found, items=3000, k=3, experts=EXPERTS, dealing=dealing)
        took = await for_a_while(askers, judging.pair, seconds=SECONDS)
        pairs = len(judging.save.taken) / took
        print(f"{EXPERTS} experts without think time, {name}: {pairs:.0f} pairs/s")
        row("  pair: next item", len(judging.next.taken) / took, judging.next, baseline)
        row("  pair: save", pairs, judging.save, baseline)
        check(found, judging)
    judging = Judging()
    askers = make(found, items=3000, k=3, experts=EXPERTS)
    took = await for_a_while(askers, judging.only_save, seconds=SECONDS, every=1.0)
    print(f"{EXPERTS} experts, each saving once a second")
    row("  save", len(judging.save.taken) / took, judging.save, baseline)
    judging = Judging()
    askers = make(found, items=3000, k=3, experts=MANY)
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
