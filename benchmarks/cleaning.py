"""How well the poem is found in real replies, by model; the first rules stand beside.

What a reader decided about each reply is in tests/backend/generation/cleaning/expectations.json;
the replies are in ../shared and are not shipped. Run it: python -m benchmarks.cleaning --wrong
"""

import argparse
import time
from collections import Counter

from tests.backend.generation.cleaning.answers import by_baseline, by_rules
from tests.backend.generation.cleaning.replies import REPLIES, Answer, Sample, Score, samples, score

HEAD = f"{'model':36}{'n':>5}" + f"{'prec.':>8}{'recall':>8}{'exact':>7}{'titles':>8}   " * 2


def main() -> None:
    """Print the tables, what is wrong, the time a reply takes and the flags."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--wrong", action="store_true", help="show what is wrong, but not held out")
    asked.add_argument("--all", action="store_true", help="show what is wrong, held out too")
    options = asked.parse_args()
    if not REPLIES.exists():
        print(f"Skipped: {REPLIES.name} is not here; it is not part of this project.")
        return
    for title, chosen in (
        ("Seen while the rules were written", lambda sample: not sample.held_out),
        ("Held out", lambda sample: sample.held_out),
        ("All", lambda sample: True),
    ):
        table(title, score(by_rules, chosen), score(by_baseline, chosen))
    if options.wrong or options.all:
        for sample, answer in score(by_rules)[""].wrong:
            if options.all or not sample.held_out:
                show(sample, answer)
    replies = [sample.reply for sample in samples()]
    began = time.process_time()
    for reply in replies:
        by_rules(reply)
    print(f"\n{(time.process_time() - began) / len(replies) * 1000:.2f} ms a reply")
    flags()


def table(title: str, rules: dict[str, Score], first: dict[str, Score]) -> None:
    """Print the scores by model: the rules of today, then the first ones."""
    print(f"\n{title}\n{HEAD}")
    for name in sorted(rules, key=lambda name: (not name, name)):
        row = f"{name or 'all':36}{rules[name].replies:>5}"
        for one in (rules[name], first[name]):
            row += f"{one.precision:>8.4f}{one.recall:>8.4f}{one.exact / one.replies:>7.3f}"
            row += f"{one.titled / one.replies:>8.3f}   "
        print(row)


def show(sample: Sample, answer: Answer) -> None:
    """Print where an answer differs from the reader's."""
    held_out = ", held out" if sample.held_out else ""
    kinds = f"{sample.expected.kind or 'poem'} -> {answer.kind or 'poem'}"
    print(f"\n{sample.model}{held_out}: {kinds}, title {sample.title!r} -> {answer.title!r}")
    missed, extra = sample.poem - answer.kept, answer.kept - sample.poem
    for sign, numbers in (("missed", missed), ("too many", extra)):
        for number in sorted(numbers)[:6]:
            print(f"   {sign} {number}: {sample.lines[number][:90]!r}")


def flags() -> None:
    """Print how many flags were expected, how many of these raised, and how many in all."""
    expected, hit, raised = Counter[str](), Counter[str](), Counter[str]()
    for sample in samples():
        said = by_rules(sample.reply).flags
        expected.update(sample.expected.flags)
        hit.update(sample.expected.flags & said)
        raised.update(said)
    for name in sorted(raised | expected):
        print(f"flag {name}: {hit[name]} of {expected[name]} expected; raised {raised[name]}")


if __name__ == "__main__":
    main()
