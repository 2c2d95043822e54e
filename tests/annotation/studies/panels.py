"""Open studies of any shape, and the ledger counted from its assignments alone."""

from collections import Counter
from itertools import count

from django.utils import timezone

from annotation.instruments.loading import published
from annotation.judgments.services import submit
from annotation.studies.consenting import agree, publish, wording_for
from annotation.studies.links import invite
from annotation.studies.models import Assignment, Cell, Item, Judge, Study
from tests.annotation.panel import survey

_numbers = count(1)


def shaped(
    *, strata=2, each=4, judges_per_item=2, batch=4, per_brief=0, attention=0, groups=(), **options
):
    """Return an open study with `each` items in each of its strata.

    Text n of a stratum is on brief n // `per_brief`; without it, every text is on a brief of its
    own. `groups` names groups and their K; the items of a stratum go to them in turn.
    """
    number = next(_numbers)
    study = Study.objects.create(
        slug=f"shaped-{number}", title=f"Shaped {number}", contact="panel@example.org",
        instrument_data=published("poemetric-survey"), judges_per_item=judges_per_item,
        batch_size=batch, asks_background=False, seed=number, state=Study.State.OPEN,
        fingerprint="f" * 64, opened_at=timezone.now(), **options,
    )  # fmt: skip
    publish(study, {"en": "You will read poems."})
    made = [study.groups.create(name=name, judges_per_item=k) for name, k in groups]
    for stratum in range(strata):
        for text in range(each):
            group = made[text % len(made)] if made else None
            Item.objects.create(
                study=study, text=f"Line {stratum}/{text}", stratum=f"s{stratum}", group=group,
                twin=f"t{text // per_brief}" if per_brief else f"t{stratum}/{text}",
                form=f"f{text % 2}", places=group.judges_per_item if group else judges_per_item,
            )  # fmt: skip
    for number in range(attention):
        Item.objects.create(
            study=study, text=f"Choose four. {number}", stratum="test", twin=f"test{number}",
            places=1, attention=True,
        )  # fmt: skip
    return study


def reader(study, *, group=None, replaces=None):
    judge = invite(study, name=f"Reader {next(_numbers)}", group=group, replaces=replaces)
    return ready(judge.invitation.judge)


def ready(judge):
    agree(judge, wording=wording_for(judge.study, "en"), promised=True)
    return judge


def again(judge):
    """Return the judge as the next request finds them."""
    return Judge.objects.select_related("study").get(pk=judge.pk)


def waiting(judge):
    return list(Assignment.objects.of(judge).waiting().in_order().select_related("item"))


def answer(judge, at_most=None):
    """Answer what waits for the judge, or the first ones of it. Return these assignments."""
    some = waiting(judge)[:at_most]
    for assignment in some:
        assignment.judge = again(judge)
        submit(assignment, survey(), milliseconds=1000)
    return some


def holders(study):
    """Return how many assignments hold a place of each item, by reading all of them."""
    rows = Assignment.objects.filter(
        item__study=study, purpose="main", judge__kind="expert", given_back_at=None,
        withdrawn_at=None,
    )  # fmt: skip
    return Counter(rows.values_list("item_id", flat=True))


def filled(study):
    """Return how often each cell was filled, from assignments and from judges' rows."""
    rows = Assignment.objects.filter(
        item__study=study, purpose="main", judge__kind="expert", given_back_at=None,
        withdrawn_at=None,
    )  # fmt: skip
    times = Counter(rows.values_list("item__group_id", "item__stratum", "slot"))
    for row in Judge.objects.filter(study=study).values_list("row", flat=True):
        times.update((group or None, stratum, slot) for group, stratum, slot in row)
    return times


def assert_books_agree(study):
    """The ledger's figures are what its assignments say, and nobody is one too many."""
    held = holders(study)
    for item in Item.objects.filter(study=study, attention=False):
        assert item.places_taken == held[item.pk] <= item.places
    times = filled(study)
    for cell in Cell.objects.filter(study=study):
        assert cell.given == times.pop((cell.group_id, cell.stratum, cell.slot), 0)
    assert not times
    once = Counter(
        Assignment.objects.filter(item__study=study, purpose="main").values_list("judge", "item")
    )
    assert all(number == 1 for number in once.values())


def spread(study, strata, *, slots):
    """Return by how much the cells of one slot differ at most, in a study without groups."""
    times = filled(study)
    return max(
        max(times[None, f"s{s}", slot] for s in range(strata))
        - min(times[None, f"s{s}", slot] for s in range(strata))
        for slot in range(slots)
    )
