"""Real replies, what a reader decided about each, and how well a finder does on them."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[4] / "shared" / "data"
REPLIES = SHARED / "llm_poem_replies_dev.jsonl"
HUMAN_POEMS = SHARED / "poemetric_human_poems_dev.csv"
HELD_OUT_OF = 3  # every third reply, by its hash, was left out while rules were written
MARKS = " \t*_#\"“”‘’'"


@dataclass(frozen=True)
class Expected:
    """What a reader decided: the raw lines of the poem, its title's line, or why there is none."""

    kept: frozenset[int]
    title_line: int | None
    kind: str
    flags: frozenset[str]


@dataclass(frozen=True)
class Sample:
    model: str
    reply: str
    expected: Expected
    held_out: bool

    @property
    def lines(self) -> list[str]:
        return self.reply.split("\n")

    @property
    def poem(self) -> set[int]:
        return {number for number in self.expected.kept if self.lines[number].strip()}

    @property
    def title(self) -> str:
        at = self.expected.title_line
        return "" if at is None else self.lines[at].strip(MARKS)


@dataclass(frozen=True)
class Answer:
    """What a finder said: the raw lines it kept that are not blank, the title, or the kind."""

    kept: frozenset[int] = frozenset()
    title: str = ""
    kind: str = ""
    flags: frozenset[str] = frozenset()


@dataclass
class Score:
    replies: int = 0
    right: int = 0
    kept: int = 0
    expected: int = 0
    exact: int = 0
    titled: int = 0
    wrong: list[tuple[Sample, Answer]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.kept if self.kept else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.expected if self.expected else 1.0

    def add(self, sample: Sample, answer: Answer) -> None:
        poem, titled = sample.poem, answer.title.strip(MARKS) == sample.title
        self.replies += 1
        self.right += len(poem & answer.kept)
        self.kept += len(answer.kept)
        self.expected += len(poem)
        exact = poem == answer.kept and answer.kind == sample.expected.kind
        self.exact += exact
        self.titled += titled
        if not (exact and titled):
            self.wrong.append((sample, answer))


def samples() -> Iterator[Sample]:
    """Return every reply that a reader decided about."""
    decided = json.loads((HERE / "expectations.json").read_text())
    with REPLIES.open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            digest = hashlib.sha256(row["reply"].encode()).hexdigest()
            if digest in decided:
                held_out = int(digest[:8], 16) % HELD_OUT_OF == 0
                yield Sample(row["model"], row["reply"], _expected(decided[digest]), held_out)


def _expected(said: dict) -> Expected:
    kept = frozenset(
        number for first, last in said.get("kept", []) for number in range(first, last + 1)
    )
    return Expected(
        kept, said.get("title_line"), said.get("kind", ""), frozenset(said.get("flags", []))
    )


def score(
    answer: Callable[[str], Answer], chosen: Callable[[Sample], bool] = lambda _: True
) -> dict[str, Score]:
    """Return the score of a finder by model, and of all under the empty name."""
    scores: dict[str, Score] = {}
    for sample in filter(chosen, samples()):
        said = answer(sample.reply)
        for name in (sample.model, ""):
            scores.setdefault(name, Score()).add(sample, said)
    return scores
