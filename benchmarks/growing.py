"""Whether a request costs the same in studies of 1,000, 10,000 and 100,000 items.

Twenty experts, once a second each: dealing a set or drawing an item, reading, drafts, saving, and
the desk; then the coordinator's ledger page, which counts every item and is allowed to grow. The
ratio is that of the medians to those of the smallest study in the same run.
"""

import asyncio

from benchmarks.harness.loading import Site, Times, for_a_while, site
from benchmarks.harness.studies import make
from benchmarks.judging import Judging

SIZES = (1_000, 10_000, 100_000)
EXPERTS, SECONDS = 20, 12.0
STAFF = """
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.accounts.services import staff
user = staff("kim", User.Role.COORDINATOR)
session = import_module(settings.SESSION_ENGINE).SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
print(session.session_key, Study.objects.latest("pk").slug)
"""


async def measured(found: Site, items: int, dealing: str) -> dict[str, Times]:
    askers = make(found, items=items, k=3, experts=EXPERTS, dealing=dealing)
    judging, desk = Judging(), Times()

    async def work(asker):  # type: ignore[no-untyped-def]
        await judging.drafting(asker)
        await judging.only_save_held(asker)
        await desk.time(opened(asker))

    async def opened(asker):  # type: ignore[no-untyped-def]
        return (await asker.ask("GET", f"/desk/{asker.secret}/"))[0] == 200

    await for_a_while(askers, work, seconds=SECONDS, every=1.0)
    return {
        f"next item ({dealing})": judging.next,
        f"draft ({dealing})": judging.draft,
        f"save ({dealing})": judging.save,
        f"desk ({dealing})": desk,
    }


async def ledger(found: Site) -> Times:
    key, slug = found.shell(STAFF)
    asker, times = make(found, items=0, k=1, experts=1)[0], Times()
    asker.cookie = f"sessionid={key}"
    for _ in range(5):
        await times.time(_page(asker, f"/studies/{slug}/ledger/"))
    return times


async def _page(asker, path):  # type: ignore[no-untyped-def]
    return (await asker.ask("GET", path))[0] == 200


async def main(found: Site) -> None:
    print(
        f"{found.database}, fsync on, 2 web processes; median and p95 in ms, and ratio of medians"
    )
    print(f"{'request':<24}" + "".join(f"{size:>26,}" for size in SIZES))
    rows: dict[str, list[Times]] = {}
    for size in SIZES:
        for dealing in ("batch", "draw"):
            for name, times in (await measured(found, size, dealing)).items():
                rows.setdefault(name, []).append(times)
        rows.setdefault("ledger page", []).append(await ledger(found))
    for name, found_times in rows.items():
        first = found_times[0].p(50)
        cells = (f"{t.p(50):.1f} / {t.p(95):.1f} ({t.p(50) / first:.2f})" for t in found_times)
        refused = sum(times.refused for times in found_times)
        print(f"{name:<24}" + "".join(f"{cell:>26}" for cell in cells) + f"  {refused or ''}")


if __name__ == "__main__":
    with site() as running:
        asyncio.run(main(running))
