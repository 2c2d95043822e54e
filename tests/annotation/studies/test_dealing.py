"""Sets are full, fair and balanced, by counts that this file makes itself."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from annotation.studies.dealing import Candidate, arrange, in_turn, pick, side

SEEDS = st.integers(0, 2**32)


class Dealer:
    """A study in small: it deals sets, takes them back, and counts its cells from them."""

    def __init__(self, sizes, length, *, apart=1, seed=0):
        self.sizes, self.length, self.apart = sizes, length, apart
        self.rng = Random(seed)
        self.sets = []

    def deal(self, times=1, *, before=()):
        for _ in range(times):
            cells = Counter((s, slot) for row in self.sets for slot, s in enumerate(row))
            slots = range(self.length)
            row = arrange(self.sizes, cells, slots, before=before, apart=self.apart, rng=self.rng)
            self.sets.append(row)
        return self.sets[-1]

    def spread(self):
        """Return by how much the cells of one slot differ at most."""
        columns = [Counter(at_slot) for at_slot in zip(*self.sets, strict=True)]
        return max(
            max(column[s] for s in self.sizes) - min(column[s] for s in self.sizes)
            for column in columns
        )


def equal(strata):
    return {f"s{number}": 5 for number in range(strata)}


unequal = st.dictionaries(st.integers(0, 30), st.integers(1, 40), min_size=1, max_size=8)


@given(sizes=unequal, length=st.integers(1, 25), seed=SEEDS)
def test_a_set_is_full_and_made_of_the_strata_that_there_are(sizes, length, seed):
    row = Dealer(sizes, length, seed=seed).deal()
    assert len(row) == length
    assert set(row) <= set(sizes)


def test_without_items_a_set_is_empty():
    assert Dealer({}, 4).deal() == []


@given(strata=st.integers(1, 8), length=st.integers(1, 20), sets=st.integers(1, 6), seed=SEEDS)
def test_equal_strata_are_within_one_in_every_set(strata, length, sets, seed):
    dealer = Dealer(equal(strata), length, seed=seed)
    dealer.deal(sets)
    for row in dealer.sets:
        times = [row.count(stratum) for stratum in equal(strata)]
        assert max(times) - min(times) <= 1


@given(sizes=unequal, length=st.integers(1, 25), sets=st.integers(1, 4), seed=SEEDS)
def test_each_stratum_has_its_share_of_every_set_rounded_up_or_down(sizes, length, sets, seed):
    dealer = Dealer(sizes, length, seed=seed)
    dealer.deal(sets)
    for row in dealer.sets:
        for stratum, size in sizes.items():
            share = Fraction(length * size, sum(sizes.values()))
            assert floor(share) <= row.count(stratum) <= ceil(share)


def test_a_share_that_has_to_be_rounded_leaves_the_others_theirs():
    # Of five texts, two, two, a half and a half: both halves in the first four would leave one of
    # the large strata one short.
    for seed in range(40):
        row = Dealer({"a": 12, "b": 12, "c": 3, "d": 3}, 5, seed=seed).deal()
        assert (row.count("a"), row.count("b")) == (2, 2)


@given(strata=st.integers(1, 7), length=st.integers(1, 16), sets=st.integers(1, 20), seed=SEEDS)
def test_after_any_number_of_sets_the_cells_of_a_slot_are_within_one(strata, length, sets, seed):
    dealer = Dealer(equal(strata), length, seed=seed)
    for _ in range(sets):
        dealer.deal()
        assert dealer.spread() <= 1


@st.composite
def drop_outs(draw):
    """Return strata, a length, how many sets, and which of them go, round by round."""
    sets = draw(st.integers(1, 20))
    which = st.sets(st.integers(0, sets - 1), min_size=1, max_size=sets)
    return (
        draw(st.integers(1, 7)),
        draw(st.integers(1, 14)),
        sets,
        draw(st.lists(which, max_size=3)),
    )


@given(case=drop_outs(), seed=SEEDS)
def test_sets_that_were_taken_back_and_dealt_anew_leave_the_cells_within_one(case, seed):
    strata, length, sets, rounds = case
    dealer = Dealer(equal(strata), length, seed=seed)
    dealer.deal(sets)
    for gone in rounds:
        dealer.sets = [row for number, row in enumerate(dealer.sets) if number not in gone]
        dealer.deal(len(gone))
        assert dealer.spread() <= 1


def test_one_set_is_planned_so_that_the_next_can_still_catch_up():
    # Whoever fills the emptiest cells first, and no more, cannot end within one: in the second
    # slot, stratum 0 is at its most already when the other three slots need theirs.
    filled = [[4, 6, 6, 4], [6, 5, 4, 5], [5, 6, 4, 5], [5, 3, 6, 6]]
    cells = Counter({(s, slot): n for slot, row in enumerate(filled) for s, n in enumerate(row)})
    for seed in range(40):
        now = cells.copy()
        for _ in range(2):
            row = arrange(dict.fromkeys(range(4), 9), now, range(4), rng=Random(seed))
            now.update((s, slot) for slot, s in enumerate(row))
        assert {now[s, slot] for s in range(4) for slot in range(4)} == {5, 6}


@given(strata=st.integers(2, 6), sets=st.integers(2, 15), seed=SEEDS, data=st.data())
def test_single_places_that_were_taken_back_are_filled_within_one_again(strata, sets, seed, data):
    """A slot gets as many texts as it lost, one slot at a time, as single items are dealt anew."""
    dealer = Dealer(equal(strata), strata, seed=seed)
    dealer.deal(sets)
    places = [(row, slot) for row in range(sets) for slot in range(strata)]
    gone = data.draw(st.lists(st.sampled_from(places), unique=True, min_size=1))
    cells = Counter((s, slot) for row in dealer.sets for slot, s in enumerate(row))
    cells.subtract((dealer.sets[row][slot], slot) for row, slot in gone)
    for _, slot in gone:
        (stratum,) = arrange(dealer.sizes, cells, [slot], rng=Random(seed))
        cells[stratum, slot] += 1
    for slot in range(strata):
        column = [cells[s, slot] for s in dealer.sizes]
        assert sum(column) == sets
        assert max(column) - min(column) <= 1


@given(
    apart=st.integers(2, 4),
    more=st.integers(0, 4),
    length=st.integers(1, 16),
    sets=st.integers(1, 5),
    seed=SEEDS,
)
def test_texts_of_a_stratum_keep_their_distance_within_and_between_sets(
    apart, more, length, sets, seed
):
    dealer = Dealer(equal(2 * apart - 1 + more), length, apart=apart, seed=seed)
    dealer.deal(3)  # to others
    order = []
    for _ in range(sets):
        order += dealer.deal(before=tuple(order))
    for stratum in dealer.sizes:
        at = [place for place, one in enumerate(order) if one == stratum]
        assert all(later - earlier >= apart for earlier, later in pairwise(at))


def test_what_a_judge_read_of_strata_that_are_no_more_is_no_obstacle():
    before = ["gone", "s1", "gone"]
    row = Dealer(equal(3), 3, apart=3, seed=4).deal(before=before)
    assert sorted(row) == ["s0", "s1", "s2"]
    assert row[0] != "s1"


def test_strata_of_unequal_size_do_not_stand_beside_themselves_where_that_can_be():
    # Three of eight texts of one stratum: blocks of four, in which it may come twice.
    for seed in range(40):
        row = Dealer({"a": 12, "b": 8, "c": 6, "d": 6}, 8, apart=2, seed=seed).deal()
        assert row.count("a") == 3
        assert all(one != other for one, other in pairwise(row))


@given(
    strata=st.lists(st.integers(0, 5), max_size=14),
    before=st.lists(st.integers(0, 5), max_size=4),
    apart=st.integers(1, 4),
)
def test_texts_are_put_in_turn_whole_and_only_where_some_stood_too_near(strata, before, apart):
    def near(line):
        whole = [*before, *line]
        return any(
            whole[place] in whole[max(0, place - apart + 1) : place]
            for place in range(len(before), len(whole))
        )

    order = in_turn(strata, before=before, apart=apart)
    assert sorted(order) == list(range(len(strata)))
    if not near(strata):
        assert order == list(range(len(strata)))


@given(seed=SEEDS, apart=st.integers(1, 3), times=st.integers(1, 4))
def test_as_many_texts_of_each_stratum_are_put_in_turn_with_none_too_near(seed, apart, times):
    strata = [*"abc"] * times
    Random(seed).shuffle(strata)
    line = [strata[place] for place in in_turn(strata, apart=apart)]
    for place, stratum in enumerate(line):
        assert stratum not in line[max(0, place - apart + 1) : place]


@given(sizes=unequal, length=st.integers(1, 12), seed=SEEDS)
def test_the_same_seed_arranges_the_same_however_the_strata_are_listed(sizes, length, seed):
    mirrored = dict(reversed(sizes.items()))
    assert Dealer(sizes, length, seed=seed).deal() == Dealer(mirrored, length, seed=seed).deal()


def test_the_place_in_a_set_tells_nothing_of_the_stratum():
    rows = [Dealer(equal(4), 8, seed=seed).deal() for seed in range(2000)]
    for slot in range(8):
        times = Counter(row[slot] for row in rows)
        # 2000 fair draws out of four: one standard deviation is 19.4.
        assert all(abs(times[stratum] - 500) < 5 * 19.4 for stratum in equal(4))


candidates = st.builds(
    Candidate,
    key=st.integers(0, 10_000),
    stratum=st.just("s"),
    twin=st.sampled_from("tuvw"),
    taken=st.integers(0, 2),
    form=st.sampled_from(["", "sonnet", "haiku"]),
)
windows = st.lists(candidates, min_size=1, max_size=24, unique_by=lambda one: one.key)
seen = st.dictionaries(st.sampled_from("tuvw"), st.integers(1, 3))
forms = st.dictionaries(st.sampled_from(["sonnet", "haiku"]), st.integers(1, 3))
near = st.frozensets(st.sampled_from("tuvw"))


@given(window=windows, seen=seen, forms=forms, seed=SEEDS)
def test_no_item_is_given_while_one_on_a_brief_seen_less_often_is_free(window, seen, forms, seed):
    one = pick(window, twins=seen, forms=forms, rng=Random(seed))
    assert one in window
    assert seen.get(one.twin, 0) == min(seen.get(other.twin, 0) for other in window)


@given(window=windows, seen=seen, forms=forms, seed=SEEDS)
def test_of_items_on_briefs_seen_as_often_the_one_with_the_fewest_judges_comes_first(
    window, seen, forms, seed
):
    one = pick(window, twins=seen, forms=forms, rng=Random(seed))
    rivals = [other for other in window if seen.get(other.twin, 0) == seen.get(one.twin, 0)]
    assert one.taken == min(other.taken for other in rivals)
    rivals = [other for other in rivals if other.taken == one.taken]
    assert forms.get(one.form, 0) == min(forms.get(other.form, 0) for other in rivals)


@given(window=windows, seen=seen, forms=forms, near=near, seed=SEEDS)
def test_a_brief_read_just_now_comes_after_all_others(window, seen, forms, near, seed):
    one = pick(window, twins=seen, forms=forms, near=near, rng=Random(seed))
    if one.twin in near:
        assert all(other.twin in near for other in window)


def test_a_new_brief_comes_before_fewer_judges():
    read, new = Candidate(1, "s", "t1", 0), Candidate(2, "s", "t2", 1)
    assert pick([read, new], twins={"t1": 1}, forms={}, rng=Random(1)) == new


def test_of_equals_chance_decides():
    window = [Candidate(key, "s", f"t{key}", 0) for key in range(10)]
    times = Counter(pick(window, twins={}, forms={}, rng=Random(seed)).key for seed in range(2000))
    # 2000 fair draws out of ten: one standard deviation is 13.4.
    assert all(abs(times[key] - 200) < 5 * 13.4 for key in range(10))


def test_of_nothing_nothing_is_picked():
    assert pick([], twins={}, forms={}, rng=Random(1)) is None


@given(seed=SEEDS, item=st.integers(1, 10**6), plain=st.integers(0, 9), flipped=st.integers(0, 9))
def test_the_side_that_came_first_less_often_comes_first_now(seed, item, plain, flipped):
    for balance in (-1, 0, 1):
        now = side(seed, item, plain=plain, flipped=flipped, balance=balance)
        if plain != flipped:
            assert now == (flipped < plain)
        elif balance:
            assert now == (balance < 0)
        else:
            assert now == side(seed, item, plain=0, flipped=0)


def test_where_nothing_decides_the_sides_are_even_over_items_and_over_seeds():
    for coins in (
        [side(7, item, plain=1, flipped=1) for item in range(1000)],
        [side(seed, 7, plain=0, flipped=0) for seed in range(1000)],
    ):
        # 1000 fair coins: 5 standard deviations are 79.
        assert abs(sum(coins) - 500) < 79
