"""An open study changes: more judges for an item, a judge withdrawn, restored or replaced."""

import pytest
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.activity.services import keyed
from annotation.judgments import leaving
from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies import amending, links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Group, Item, Judge, Study
from tests.annotation.panel import survey
from tests.annotation.studies.panels import (
    again,
    answer,
    assert_books_agree,
    holders,
    reader,
    ready,
    shaped,
    spread,
    waiting,
)

pytestmark = pytest.mark.django_db


def items_of(judge):
    return set(Assignment.objects.of(judge).values_list("item", flat=True))


def test_more_judges_for_every_item_and_none_for_a_test_of_attention():
    study = shaped(strata=2, each=3, judges_per_item=1, batch=6, attention=1)
    ledger.deal(reader(study))
    late = reader(study)
    assert ledger.deal(late) == 0
    assert amending.raise_places(study, 3) == 6
    assert Study.objects.get(pk=study.pk).judges_per_item == 3
    assert ledger.deal(again(late)) == 6
    assert ledger.deal(reader(study)) == 6
    assert ledger.deal(reader(study)) == 0
    assert Item.objects.get(attention=True).places == 1
    assert set(holders(study).values()) == {3}


def test_cells_stay_within_one_when_more_judges_are_asked_for():
    study = shaped(strata=3, each=6, judges_per_item=1, batch=3)
    for _ in range(6):
        ledger.deal(reader(study))
    amending.raise_places(study, 2)
    for _ in range(6):
        ledger.deal(reader(study))
        assert_books_agree(study)
        assert spread(study, 3, slots=3) <= 1
    assert set(holders(study).values()) == {2}


def test_one_group_can_have_more_judges_than_another():
    study = shaped(strata=2, each=4, groups=[("poets", 1), ("scholars", 2)])
    poets, scholars = study.groups.order_by("pk")
    assert amending.raise_places(study, 3, poets) == 4
    assert set(study.items.filter(group=poets).values_list("places", flat=True)) == {3}
    assert set(study.items.filter(group=scholars).values_list("places", flat=True)) == {2}
    assert Group.objects.get(pk=poets.pk).judges_per_item == 3


@pytest.mark.parametrize("number", [1, 9])
def test_where_every_item_is_in_a_group_only_a_group_is_raised(number):
    study = shaped(groups=[("poets", 1), ("scholars", 2)])
    with pytest.raises(amending.NothingToRaise, match="name one of: poets, scholars"):
        amending.raise_places(study, number)
    assert Study.objects.get(pk=study.pk).judges_per_item == study.judges_per_item == 2


def test_a_group_without_items_is_not_raised():
    study = shaped()
    poets = study.groups.create(name="poets", judges_per_item=2)
    with pytest.raises(amending.NothingToRaise, match="the group poets"):
        amending.raise_places(study, 9, poets)
    assert Group.objects.get(pk=poets.pk).judges_per_item == 2


@pytest.mark.parametrize("fewer", [0, 1, 2])
def test_the_number_of_judges_is_only_raised(fewer):
    study = shaped(judges_per_item=2)
    with pytest.raises(amending.TooFew):
        amending.raise_places(study, fewer)
    assert set(study.items.values_list("places", flat=True)) == {2}


def test_a_page_that_was_open_too_long_lowers_nothing():
    study = shaped(judges_per_item=2)
    stale = Study.objects.get(pk=study.pk)
    amending.raise_places(study, 5)
    with pytest.raises(amending.TooFew):
        amending.raise_places(stale, 4)
    assert Study.objects.get(pk=study.pk).judges_per_item == 5
    assert set(study.items.values_list("places", flat=True)) == {5}


def test_a_closed_study_asks_for_nobody_else():
    study = shaped()
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    with pytest.raises(links.NotOpen):
        amending.raise_places(study, 9)
    with pytest.raises(links.NotOpen):
        amending.replace(reader_of_closed(study), name="Somebody else")


def reader_of_closed(study):
    return Judge.objects.create(study=study, name="Early")


@pytest.fixture
def study():
    return shaped(strata=2, each=3, judges_per_item=1, batch=4)


@pytest.fixture
def judge(study):
    """An expert who answered two of four."""
    judge = reader(study)
    ledger.deal(judge)
    answer(judge, 2)
    return again(judge)


def test_who_is_withdrawn_gives_all_places_back_and_every_answer_is_kept(study, judge):
    begun = items_of(judge)
    assert amending.withdraw(judge, "Read the poems aloud to a class.") == 4
    assert_books_agree(study)
    assert holders(study) == {}
    assert Judgment.objects.filter(assignment__judge=judge).count() == 2
    assert not Judgment.objects.counted(study).exists()
    assert Judge.objects.get(pk=judge.pk).withdrawn_reason == "Read the poems aloud to a class."
    other = reader(study)
    ledger.deal(other)
    answer(other)
    ledger.deal(again(other))
    assert begun <= items_of(other)


def test_who_is_withdrawn_has_no_link_and_is_given_nothing(study, judge):
    secret = links.link_for(judge).secret
    amending.withdraw(judge, "asked for it")
    with pytest.raises(links.StaleLink):
        links.begun(secret)
    with pytest.raises(ledger.NotTakingPart):
        ledger.deal(again(judge))


def test_withdrawing_twice_gives_nothing_back_twice(study, judge):
    amending.withdraw(judge, "asked for it")
    with pytest.raises(links.Withdrawn):
        amending.withdraw(again(judge), "asked for it")
    assert_books_agree(study)


def test_who_is_withdrawn_by_two_at_once_stays_so_since_the_first_and_for_that_reason(judge):
    other = again(judge)  # as a page has them that was opened before
    amending.withdraw(again(judge), "their own poems")
    since = again(judge).withdrawn_at
    with pytest.raises(links.Withdrawn, match="already"):
        amending.withdraw(other, "by mistake")
    now = again(judge)
    assert (now.withdrawn_at, now.withdrawn_reason) == (since, "their own poems")
    assert Entry.objects.filter(kind="judge.withdrawn").count() == 1


def test_an_answer_that_was_on_its_way_is_out_of_the_analysis_with_the_others(judge):
    Study.objects.filter(pk=judge.study_id).update(late=Study.Late.IN)
    study = Study.objects.get(pk=judge.study_id)
    sent = Assignment.objects.of(judge).waiting().select_related("judge__study")[0]
    amending.withdraw(judge, "asked for it")
    assert submit(sent, survey(), milliseconds=1).extra
    assert not Judgment.objects.counted(study).exists()


def test_who_is_restored_has_their_answers_back_where_places_are_free(study, judge):
    amending.withdraw(judge, "by mistake")
    assert amending.restore(again(judge)) == 2
    assert_books_agree(study)
    assert Judgment.objects.counted(study).count() == 2
    assert set(holders(study)) == set(
        Assignment.objects.of(judge).answered().values_list("item", flat=True)
    )
    judge = again(judge)
    assert (judge.withdrawn_at, judge.withdrawn_reason) == (None, "")
    # What was not answered comes back with the next set, once they have a link again.
    links.link_for(judge)
    assert ledger.deal(judge) == 4


def test_an_answer_whose_place_was_taken_meanwhile_comes_back_as_an_extra_one(study, judge):
    amending.withdraw(judge, "by mistake")
    other = reader(study)
    while ledger.deal(again(other)):
        answer(other)
    assert amending.restore(again(judge)) == 0
    assert_books_agree(study)
    assert set(holders(study).values()) == {1}
    mine = Judgment.objects.filter(assignment__judge=judge)
    assert mine.count() == 2
    assert not Judgment.objects.counted(study).filter(pk__in=mine).exists()


def test_restoring_whoever_was_not_withdrawn_changes_nothing(study, judge):
    assert amending.restore(judge) == 0
    assert_books_agree(study)


def test_who_replaces_another_is_given_first_what_the_other_left(study, judge):
    left = [one.item_id for one in waiting(judge)]
    link = amending.replace(judge, name="Ida", email="ida@reader.example")
    new = ready(link.invitation.judge)
    assert new.replaces == judge
    assert ledger.deal(again(new)) == 4
    assert [one.item_id for one in waiting(new)][:2] == left
    assert_books_agree(study)
    # The first one's answers count, and are not asked for again.
    assert Judgment.objects.counted(study).count() == 2
    assert not items_of(new) & {one.item_id for one in Assignment.objects.of(judge).answered()}


def test_where_items_are_drawn_whoever_comes_draws_first_what_the_other_left():
    study = shaped(strata=2, each=6, batch=4)
    first = reader(study)
    ledger.deal(again(first))
    left = {one.item_id for one in waiting(first)}
    Study.objects.filter(pk=study.pk).update(dealing=Study.Dealing.DRAW)
    new = ready(amending.replace(again(first), name="Ida").invitation.judge)
    drawn = set()
    for _ in left:
        assert ledger.deal(again(new)) == 1
        drawn |= {one.item_id for one in answer(new)}
        assert_books_agree(study)
    assert drawn == left
    assert again(new).row == []


@pytest.mark.parametrize("_", range(4))
def test_in_the_middle_of_a_set_what_was_left_takes_a_place_of_it(_):  # and not by chance
    study = shaped(dealing=Study.Dealing.DRAW, strata=2, each=6, batch=4)
    first = reader(study)
    ledger.deal(again(first))
    (left,) = waiting(first)
    new = reader(study, replaces=again(first))
    ledger.deal(again(new))
    answer(new)
    assert len(again(new).row) == 3
    ledger.revoke(again(first))
    ledger.deal(again(new))
    assert [one.item_id for one in answer(new)] == [left.item_id]
    assert len(again(new).row) == 2
    assert_books_agree(study)


def test_who_is_replaced_is_given_nothing_more_but_can_send_what_they_are_in_the_middle_of(judge):
    secret = links.link_for(judge).secret
    open_page = waiting(judge)[0]
    amending.replace(judge, name="Ida")
    assert waiting(judge) == []
    with pytest.raises(links.StaleLink):
        links.follow(secret)
    with pytest.raises(ledger.NotTakingPart):
        ledger.deal(again(judge))
    assert links.begun(secret).judge == judge
    open_page.judge = again(judge)
    late = submit(open_page, survey(), milliseconds=1)
    assert late.extra
    assert late not in Judgment.objects.counted(judge.study)


def test_nobody_is_replaced_by_somebody_who_is_on_the_panel_already(study, judge):
    links.invite(study, name="Ida", email="ida@reader.example")
    with pytest.raises(links.AlreadyInvited):
        amending.replace(judge, name="Ida", email="IDA@reader.example")
    judge = again(judge)
    assert judge.left_at is None
    assert len(waiting(judge)) == 2


def test_an_expert_is_replaced_once_but_who_came_instead_can_be_replaced(study, judge):
    ida = amending.replace(judge, name="Ida").invitation.judge
    with pytest.raises(amending.AlreadyReplaced, match="Ida"):
        amending.replace(judge, name="Eve")
    assert not study.judges.filter(name="Eve").exists()
    eve = amending.replace(ida, name="Eve").invitation.judge
    assert eve.replaces == ida
    leaving.delete(ida)
    assert amending.replace(judge, name="Joe").invitation.judge.replaces == judge


def test_who_replaces_a_member_of_a_group_judges_for_that_group():
    study = shaped(strata=2, each=4, groups=[("poets", 1), ("scholars", 1)])
    poets = study.groups.get(name="poets")
    first = reader(study, group=poets)
    ledger.deal(first)
    new = ready(amending.replace(again(first), name="Ida").invitation.judge)
    assert new.group == poets
    while ledger.deal(again(new)):
        answer(new)
    assert items_of(new) == set(study.items.filter(group=poets).values_list("pk", flat=True))


def test_amending_while_others_read_keeps_their_answers(study, judge):
    other = reader(study)
    ledger.deal(other)
    (mine,) = answer(other, 1)
    amending.withdraw(judge, "asked for it")
    amending.raise_places(study, 2)
    assert Judgment.objects.counted(study).get().assignment == mine
    assert timezone.now() > Judgment.objects.get(assignment=mine).submitted_at
    assert_books_agree(study)


def test_whoever_is_withdrawn_gets_a_link_only_once_they_are_brought_back(judge):
    amending.withdraw(judge, "by mistake")
    with pytest.raises(links.Withdrawn):
        links.link_for(again(judge))
    assert not judge.invitations.standing().exists()
    amending.restore(again(judge))
    assert links.begun(links.link_for(again(judge)).secret).judge == judge


def test_a_group_is_changed_until_the_first_items_are_given():
    study = shaped(strata=2, each=4, groups=[("poets", 1), ("scholars", 1)])
    poets, scholars = study.groups.order_by("pk")
    judge = reader(study, group=poets)
    amending.assign_group(judge, None)
    assert again(judge).group is None
    amending.assign_group(judge, scholars, by="kim")
    ledger.deal(again(judge))
    assert {one.item.group for one in waiting(judge)} == {scholars}
    with pytest.raises(amending.AlreadyGiven):
        amending.assign_group(again(judge), poets)
    assert again(judge).group == scholars
    logged = Entry.objects.filter(kind="judge.grouped", study=study.slug).order_by("pk")
    assert list(logged.values_list("actor", "subject", "digest")) == [
        (by, keyed(judge.log_key, f"judge {judge.pk}"), keyed(judge.log_key, group))
        for by, group in (("", 0), ("kim", scholars.pk))
    ]


def test_the_log_proves_who_did_what_about_whom_and_names_nobody(study):
    judge = reader(study)
    ledger.deal(again(judge))
    answer(judge, 1)
    amending.withdraw(again(judge), "Ada told us that she knew the poets.", by="kim")
    amending.restore(again(judge), by="kim")
    amending.replace(again(judge), name="Ida", by="kim")
    about = keyed(judge.log_key, f"judge {judge.pk}")
    logged = list(Entry.objects.filter(subject=about).order_by("pk").values_list("kind", "actor"))
    assert logged == [
        ("judge.invited", ""),
        ("lease.given", ""),
        ("lease.returned", ""),
        ("judge.withdrawn", "kim"),
        ("judge.restored", "kim"),
        ("judge.replaced", "kim"),
    ]
    new = Judge.objects.get(name="Ida")
    invited = Entry.objects.get(subject=keyed(new.log_key, f"judge {new.pk}"))
    assert (invited.kind, invited.actor) == ("judge.invited", "kim")
    withdrawn = Entry.objects.get(kind="judge.withdrawn")
    assert withdrawn.digest == keyed(judge.log_key, "Ada told us that she knew the poets.")
    assert not any("poets" in str(entry) for entry in Entry.objects.values_list())


def test_who_replaces_another_judges_for_the_group_that_the_other_was_moved_to_meanwhile():
    study = shaped(groups=[("poets", 1), ("scholars", 1)])
    poets, scholars = study.groups.order_by("pk")
    judge = reader(study, group=poets)
    read_before = again(judge)
    amending.assign_group(judge, scholars)
    new = amending.replace(read_before, name="Ida").invitation.judge
    assert (new.group, new.replaces) == (scholars, judge)


@pytest.mark.parametrize(
    "change",
    [
        lambda judge: amending.withdraw(judge, "knew the poets"),
        amending.restore,
        lambda judge: amending.assign_group(judge, None),
        lambda judge: amending.replace(judge, name="Ida"),
    ],
    ids=["withdraw", "restore", "assign_group", "replace"],
)
def test_nothing_is_changed_about_an_expert_who_was_deleted_meanwhile(study, judge, change):
    leaving.delete(again(judge))
    with pytest.raises(links.StaleLink):
        change(judge)
    assert not study.judges.exists()
    assert Entry.objects.of_study(study.slug).latest("pk").kind == "expert.deleted"
