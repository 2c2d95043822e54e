from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from annotation.studies.dealing import Candidate, choose


@st.composite
def pools(draw: st.DrawFn) -> list[Candidate]:
    n = draw(st.integers(0, 40))
    codes = st.integers(0, 4)
    return [
        Candidate(key, f"s{draw(codes)}", f"t{draw(codes)}", draw(st.integers(0, 2)))
        for key in range(n)
    ]


@given(pool=pools(), size=st.integers(1, 12), seed=st.integers(0, 2**32))
def test_a_batch_is_full_and_without_repeats(pool, size, seed):
    chosen = choose(pool, size, seen_twins=[], rng=Random(seed))
    assert len(chosen) == min(size, len(pool))
    assert len({one.key for one in chosen}) == len(chosen)


@given(pool=pools(), size=st.integers(1, 12), seed=st.integers(0, 2**32))
def test_no_item_is_left_while_one_with_more_judges_is_given(pool, size, seed):
    chosen = choose(pool, size, seen_twins=[], rng=Random(seed))
    left = [one for one in pool if one not in chosen]
    assert not chosen or not left or max(c.taken for c in chosen) <= min(one.taken for one in left)


@given(
    strata=st.integers(1, 5),
    each=st.integers(1, 8),
    size=st.integers(1, 20),
    seed=st.integers(0, 2**32),
)
def test_a_batch_is_spread_over_strata_within_one(strata, each, size, seed):
    pool = [
        Candidate(row * strata + column, f"s{column}", f"t{row * strata + column}", 0)
        for row in range(each)
        for column in range(strata)
    ]
    chosen = choose(pool, size, seen_twins=[], rng=Random(seed))
    counts = Counter(one.stratum for one in chosen)
    per_stratum = [counts[f"s{column}"] for column in range(strata)]
    if size <= len(pool):
        assert max(per_stratum) - min(per_stratum) <= 1


@given(seed=st.integers(0, 2**32))
def test_texts_on_a_brief_that_the_judge_has_seen_come_last(seed):
    pool = [Candidate(n, "s", "seen" if n < 5 else f"t{n}", 0) for n in range(10)]
    chosen = choose(pool, 5, seen_twins=["seen"], rng=Random(seed))
    assert {one.twin for one in chosen} == {f"t{n}" for n in range(5, 10)}


@given(pool=pools(), size=st.integers(1, 12), seed=st.integers(0, 2**32))
def test_the_same_seed_deals_the_same(pool, size, seed):
    first = choose(pool, size, seen_twins=[], rng=Random(seed))
    assert choose(list(reversed(pool)), size, seen_twins=[], rng=Random(seed)) == first


def test_the_place_in_a_batch_tells_nothing_of_the_stratum():
    pool = [Candidate(n, f"s{n % 2}", f"t{n}", 0) for n in range(10)]
    first = [choose(pool, 10, seen_twins=[], rng=Random(seed))[0].stratum for seed in range(400)]
    # 400 fair draws: 5 standard deviations are 50.
    assert abs(first.count("s0") - 200) < 50
