"""A whole run as the papers have it: 203 briefs x 30 models = 6,090 poems, 64 calls at once.

Every answer takes a second, so that nobody could be quicker than 6,090 / 64 = 95.2 s. All is real:
PostgreSQL that writes to disk, Redis, Celery workers, an endpoint that is a process of its own, and
the application's own services and the official SDK between them; all of them share this machine.
The baseline is what one would write without any of that: a pool of 64 threads and the same SDK, no
database, nothing kept. `--small` does 600 poems.
"""

import argparse
import os
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from openai import OpenAI

from benchmarks.harness.measuring import cpu_seconds, memory_mb
from tests.services.keeper import Kept
from tests.services.site import EndpointProcess, Site, site

LATENCY = 1.0  # seconds
AT_ONCE = 64
# A thread is busy before and after its call, too; the provider's limit keeps calls to 64 at once.
THREADS = 80
MODELS, BRIEFS = 30, 203
WORKERS = 2
PROBES = 60
BASELINE_CALLS = 20 * AT_ONCE

_MAKE = """
import json
import random
from backend.corpus.models import Collection
from backend.corpus.services import import_poems
from backend.generation.models import LanguageModel, Provider

# Unlike what the endpoint writes, as poems by people are unlike those of machines.
SYLLABLES = [first + then + last for first in "bdfglmnprstv" for then in "aeiou" for last in "lnrs"]

def verse(number):
    draw = random.Random(number)
    word = lambda: "".join(draw.sample(SYLLABLES, 2))
    return "\\n".join(" ".join(word() for _ in range(7)) for _ in range(14))

briefs, models, limit = {briefs}, {models}, {limit}
lines = "".join(
    json.dumps({{"title": f"Poem {{n}}", "author": f"Poet {{n % 40}}", "form": "sonnet",
                 "theme": f"theme {{n}}", "text": verse(n)}}) + "\\n"
    for n in range(briefs)
)
made = import_poems(lines.encode(), file_name="verse.jsonl", collection="Verse").collection
at = Provider.objects.create(name="Bench", base_url="{url}", parallel=limit)
LanguageModel.objects.bulk_create(
    LanguageModel(name=f"Writer {{n}}", provider=at, model_id=f"writer-{{n}}", seconds=60)
    for n in range(models)
)
"""
_START = """
import time
from backend.corpus.models import Collection
from backend.generation import services, tasks
from backend.generation.models import LanguageModel

begun = time.time()
shelf = Collection.objects.get()
started = services.start_run(
    name="{name}", collection=shelf, models=LanguageModel.objects.all(), template="poemetric",
    poems=shelf.poems.order_by("pk")[:{briefs}],
)
made = time.time()
tasks.sweep.delay()
print(started.run.pk, begun, made)
"""
# One call after another, with nobody else at work: what stands around the answer.
_PROBE = """
import gc, statistics, time
from django.db import connection
from django.test.utils import CaptureQueriesContext
from backend.corpus.models import Collection
from backend.generation import services, writing
from backend.generation.models import LanguageModel

run = services.start_run(
    name="Probe", collection=Collection.objects.get(), models=LanguageModel.objects.all()[:1],
    template="poemetric", temperature=0.5,  # or the calls would have been answered before
).run
keys = list(run.generations.order_by("pk").values_list("pk", flat=True))
writing.write_poem(keys.pop())
with CaptureQueriesContext(connection) as asked:
    writing.write_poem(keys.pop())
taken, cpu = [], []
for key in keys[:{probes}]:
    wall, used = time.perf_counter(), time.thread_time()
    writing.write_poem(key)
    taken.append(time.perf_counter() - wall)
    cpu.append(time.thread_time() - used)
assert run.generations.filter(status="done").count() == 2 + {probes}
print(len(asked.captured_queries), *taken)
print(statistics.mean(cpu))
print(*(query["sql"][:{width}].replace("\\n", " ") for query in asked.captured_queries), sep="\\n")
"""

TIMELINE = """
WITH made AS (
    SELECT started_at, ended_at, floor(extract(epoch FROM started_at)) AS second
    FROM generation_call
    WHERE generation_id IN (SELECT id FROM generation_generation WHERE run_id = %s)
)
SELECT (second - (SELECT min(second) FROM made))::int, count(*), (
    SELECT count(*) FROM made AS other WHERE extract(epoch FROM other.started_at) < made.second + 1
    AND extract(epoch FROM other.ended_at) > made.second + 1
) FROM made GROUP BY second ORDER BY 1
"""


@dataclass(frozen=True)
class Size:
    """How much is asked for."""

    briefs: int
    models: int

    @property
    def poems(self) -> int:
        return self.briefs * self.models

    @property
    def ideal(self) -> float:
        """Seconds below which nobody could be."""
        return self.poems / AT_ONCE * LATENCY


def baseline(endpoint: EndpointProcess, calls: int) -> float:
    """Ask with a bare pool of threads; return the ratio to the ideal."""
    client = OpenAI(base_url=f"{endpoint.url}/v1", api_key="none", max_retries=0)

    def ask(number: int) -> None:
        said = client.chat.completions.create(
            model="writer", messages=[{"role": "user", "content": f"Write poem {number}."}]
        )
        assert said.choices[0].message.content

    ask(0)
    used, begun = time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(ask, range(1, calls + 1)))
    took, ideal = time.perf_counter() - begun, calls / AT_ONCE * LATENCY
    used = time.process_time() - used
    row(f"{AT_ONCE} threads, SDK, no database ({calls:,} calls)", took, ideal)
    print(f"  its own processor time a call: {1000 * used / calls:.1f} ms")
    endpoint.forget()
    return took / ideal


def row(what: str, took: float, ideal: float) -> None:
    print(f"{what:<52}{took:>10.1f} s{took / ideal:>10.3f}", flush=True)


def follow(at: Site, run: int, poems: int) -> tuple[int, int]:
    """Wait until nothing of the run is unfinished; return how many are done, and how many not."""
    give_up = time.monotonic() + 20 * poems / AT_ONCE * LATENCY
    while time.monotonic() < give_up:
        found = at.rows(
            "SELECT count(*) FILTER (WHERE status IN ('queued', 'running')),"
            " count(*) FILTER (WHERE status = 'done') FROM generation_generation WHERE run_id = %s",
            run,
        )
        unfinished, done = found[0]
        if not unfinished:
            return done, poems - done
        time.sleep(1.0)
    raise SystemExit(f"not finished: {unfinished} of {poems} are left")


def write(at: Site, endpoint: EndpointProcess, size: Size, told: argparse.Namespace) -> float:
    """Write everything through the application; return the ratio to the ideal."""
    threads = told.threads // WORKERS
    workers = [at.worker("calls", threads=threads) for _ in range(WORKERS)]
    others = {"other worker": at.worker("blindverse", threads=2), "clock": at.clock()}
    begun_with = [memory_mb(worker.pid) for worker in workers]
    parts = {
        **{f"worker {n}": each for n, each in enumerate(workers, start=1)},
        **others,
        "PostgreSQL": at.database.server,
        "Redis": at.broker.server,
        "endpoint": endpoint.process,
    }
    before = {name: cpu_seconds(part.pid) for name, part in parts.items()}
    run, begun, made = at.run(_START.format(name="Bench", briefs=size.briefs)).split()
    done, failed = follow(at, int(run), size.poems)
    ended = at.rows(
        "SELECT extract(epoch FROM max(finished_at)) FROM generation_generation WHERE run_id = %s",
        int(run),
    )
    took = float(ended[0][0]) - float(made)
    row(f"Blindverse, {told.threads} threads in {WORKERS} workers", took, size.ideal)
    print(f"  besides, to write down {size.poems:,} rows: {float(made) - float(begun):.1f} s")
    counted = endpoint.count()
    print(
        f"  done: {done:,}, failed: {failed:,}; by the endpoint's own count: "
        f"{counted['written']:,} answers written for {counted['keys']:,} calls, "
        f"{counted['written_twice']} twice, {counted['most_at_once']} at once at most"
    )
    cpu(parts, before, size.poems, took)
    calls(at, int(run), told)
    memory(workers, begun_with)
    for worker in (*workers, others["other worker"], others["clock"]):
        worker.stop()
    if done != size.poems or counted["written_twice"] or counted["most_at_once"] > AT_ONCE:
        raise SystemExit("not as it should be")
    return took / size.ideal


def cpu(parts: dict[str, Kept], before: dict[str, float], poems: int, took: float) -> None:
    used = {name: cpu_seconds(part.pid) - before[name] for name, part in parts.items()}
    each = ", ".join(f"{name} {1000 * seconds / poems:.1f}" for name, seconds in used.items())
    total = sum(used.values())
    print(f"  processor time a call, ms: {each}; all {1000 * total / poems:.1f}")
    print(f"  busy: {total / took:.2f} of {os.cpu_count()} cores")


def calls(at: Site, run: int, told: argparse.Namespace) -> None:
    """Print what the rows themselves say of how long calls took."""
    taken = [
        milliseconds - 1000 * LATENCY
        for (milliseconds,) in at.rows(
            "SELECT milliseconds FROM generation_call WHERE state = 'answered' AND generation_id"
            " IN (SELECT id FROM generation_generation WHERE run_id = %s)",
            run,
        )
    ]
    print(f"  under load, beyond the second, of the call alone: {spread(taken)}")
    if told.timeline:
        for second, begun, open_calls in at.rows(TIMELINE, run):
            print(f"    {second:>5} s: {begun:>4} begun, {open_calls:>3} open at its end")


def spread(milliseconds: list[float]) -> str:
    cut = statistics.quantiles(milliseconds, n=100, method="inclusive")
    return f"p50 {cut[49]:.1f} ms, p95 {cut[94]:.1f} ms, p99 {cut[98]:.1f} ms"


def memory(workers: list[Kept], begun_with: list[float]) -> None:
    said = ", ".join(
        f"{before:.0f} -> {memory_mb(worker.pid):.0f} MB"
        for worker, before in zip(workers, begun_with, strict=True)
    )
    print(f"  memory of each worker (PSS), at start and end: {said}")


def probe(at: Site, endpoint: EndpointProcess, told: argparse.Namespace) -> None:
    """Write poems one after another, and print what a single call costs beside its answer."""
    latency = 0.1
    endpoint.script(latency=latency)
    said = at.run(_PROBE.format(probes=PROBES, width=told.statements)).splitlines()
    statements, *taken = said[0].split()
    beyond = [1000 * (float(each) - latency) for each in taken]
    print(f"one call at a time ({PROBES}, nobody else at work), all there is beside the answer:")
    print(f"  {spread(beyond)}; of the thread's processor {1000 * float(said[1]):.1f} ms")
    print(f"  statements a call, BEGIN and COMMIT among them: {statements}")
    if told.statements:
        print(*(f"    {line}" for line in said[2:]), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="600 poems")
    parser.add_argument("--threads", type=int, default=THREADS, help="in all workers together")
    parser.add_argument("--limit", type=int, default=AT_ONCE, help="of the provider; 0: none")
    parser.add_argument("--statements", type=int, default=0, help="show so much of each")
    parser.add_argument("--only", choices=("probe", "run"), default="")
    parser.add_argument("--timeline", action="store_true", help="second by second")
    told = parser.parse_args()
    size = Size(30, 20) if told.small else Size(BRIEFS, MODELS)
    with site() as at:
        endpoint = at.endpoint("--latency", str(LATENCY))
        limit = told.limit or None
        at.run(
            _MAKE.format(
                briefs=max(size.briefs, PROBES + 2), models=size.models, limit=limit,
                url=f"{endpoint.url}/v1",
            )
        )  # fmt: skip
        print(f"{at.database.name}, fsync on; {at.broker.name}; everything on this machine")
        print(f"{size.poems:,} poems, an answer after {LATENCY:g} s, {AT_ONCE} at once at most")
        print(f"{'':<52}{'took':>12}{'ratio':>10}")
        row("ideal", size.ideal, size.ideal)
        if told.only != "probe":
            plain = baseline(endpoint, BASELINE_CALLS // (4 if told.small else 1))
            ours = write(at, endpoint, size, told)
            print(f"  beside the bare pool of threads: {ours / plain:.3f}")
        if told.only != "run":
            probe(at, endpoint, told)


if __name__ == "__main__":
    sys.exit(main())
