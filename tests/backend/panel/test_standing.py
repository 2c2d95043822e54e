"""An expert's part: withdrawn with a reason, brought back, given to somebody else."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.judgments import leaving
from annotation.judgments.services import submit
from annotation.studies import services as ledger
from annotation.studies.consenting import agree, wording_for
from annotation.studies.models import Assignment, Group, Judge, Study
from backend.design.models import Design
from backend.panel import linking, standing, withdrawing
from backend.panel.models import Letter
from backend.panel.views import expert_on
from tests.annotation.panel import expert, open_study, survey
from tests.studies import researcher

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("swept")]


@pytest.fixture
def judge(study: Study) -> Judge:
    """Return an expert with one answer, and two poems waiting."""
    judge = expert(study, "Ada")
    assert ledger.deal(judge) == 3
    submit(Assignment.objects.of(judge).in_order()[0], survey(), milliseconds=None)
    return judge


def post(client: Client, page: str, judge: Judge, **data: object):  # type: ignore[no-untyped-def]
    return client.post(reverse(page, args=[judge.study.slug, judge.code]), data, follow=True)


def taken(study: Study) -> int:
    return sum(study.items.values_list("places_taken", flat=True))


def test_whoever_is_withdrawn_keeps_the_answers_and_gives_all_places_to_others(
    client, study, judge
):
    page = post(client, "withdraw-expert", judge, reason="Knew the poets").content.decode()
    assert "Places that went to others: 3." in page
    assert "Knew the poets" in page
    assert taken(study) == 0
    judge.refresh_from_db()
    assert judge.withdrawn_reason == "Knew the poets"
    assert Assignment.objects.of(judge).answered().count() == 1
    assert Assignment.objects.of(judge).answered().analysed().count() == 0
    entry = Entry.objects.get(kind="judge.withdrawn")
    assert (entry.actor, entry.study) == ("kim", study.slug)
    panel = client.get(reverse("panel", args=[study.slug])).content.decode()
    assert ">withdrawn</span>" in panel
    assert "Knew the poets" in panel


def test_without_a_reason_nobody_is_withdrawn(client, study, judge):
    answer = post(client, "withdraw-expert", judge, reason=" ")
    assert answer.status_code == 422
    assert taken(study) == 3
    judge.refresh_from_db()
    assert judge.withdrawn_at is None


def test_whoever_was_withdrawn_is_brought_back(client, study, judge):
    post(client, "withdraw-expert", judge, reason="A mistake")
    page = post(client, "restore-expert", judge).content.decode()
    assert "Answers that count again: 1." in page
    assert taken(study) == 1
    assert Assignment.objects.of(judge).answered().analysed().count() == 1
    assert Entry.objects.get(kind="judge.restored").actor == "kim"
    assert "is not withdrawn" in post(client, "restore-expert", judge).content.decode()


def test_a_successor_is_in_the_same_group_is_shown_the_link_and_given_what_was_left(client, study):
    group = Group.objects.create(study=study, name="poets", judges_per_item=2)
    study.items.update(group=group)
    judge = expert(study, "Ada")
    Judge.objects.filter(pk=judge.pk).update(group=group)
    assert ledger.deal(judge) == 3
    submit(Assignment.objects.of(judge).in_order()[0], survey(), milliseconds=None)
    left = Assignment.objects.of(judge).waiting().in_order().values_list("item", flat=True)
    left = list(left)
    answer = post(
        client, "replace-expert", judge, name="Ben", email="ben@reader.example", send="on"
    )  # fmt: skip
    page = answer.content.decode()
    assert "Ben is on the panel in place of Ada, whose answers are kept." in page
    ben = Judge.objects.get(name="Ben")
    assert (ben.replaces, ben.group) == (judge, group)
    assert answer.redirect_chain[-1][0] == reverse("show-link", args=[study.slug, ben.code])
    assert Letter.objects.get().judge == ben
    assert not judge.invitations.usable(timezone.now()).exists()
    assert taken(study) == 1
    assert "Replaced by Ben" in client.get(
        reverse("expert-part", args=[study.slug, judge.code])
    ).content.decode()  # fmt: skip
    agree(ben, wording=wording_for(study, "en"), promised=True)
    ledger.deal(ben)
    given = Assignment.objects.of(ben).in_order().values_list("item", flat=True)
    assert list(given)[:2] == left


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "Ben", "email": "ADA@reader.example"}, "is on the panel already"),
        ({"name": "Ben", "send": "on"}, "Write the address"),
    ],
)
def test_a_wrong_successor_is_refused_and_nothing_ends(client, study, judge, typed, said):
    Judge.objects.filter(pk=judge.pk).update(email="ada@reader.example")
    answer = post(client, "replace-expert", judge, **typed)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert study.judges.count() == 1
    assert judge.invitations.standing().exists()


def test_nobody_is_replaced_in_a_closed_study(client, study, judge):
    Study.objects.update(state="closed")
    there = reverse("expert-part", args=[study.slug, judge.code])
    assert "in their place" not in client.get(there).content.decode()
    assert "study is closed" in post(client, "replace-expert", judge, name="B").content.decode()
    assert study.judges.count() == 1


def test_once_the_key_is_unsealed_nobody_is_withdrawn_or_brought_back(client, study, judge):
    other = expert(study, "Ben")
    post(client, "withdraw-expert", other, reason="A mistake")
    Design.objects.create(study=study, unblinded_at=timezone.now())
    page = post(client, "withdraw-expert", judge, reason="Their results").content.decode()
    assert "unsealed: whose answers are analysed changes no more." in page
    assert reverse("withdraw-expert", args=[study.slug, judge.code]) not in page
    page = post(client, "restore-expert", other).content.decode()
    assert "unsealed: whose answers are analysed changes no more." in page
    assert list(study.judges.filter(withdrawn_at=None)) == [judge]


def test_after_a_look_the_page_warns_before_anybody_is_withdrawn_or_brought_back(
    client, study, judge
):
    design, there = Design.objects.create(study=study), ("expert-part", study.slug, judge.code)
    part = reverse(there[0], args=there[1:])
    assert "looked at" not in client.get(part).content.decode()
    vera = researcher()
    for number in (1, 2):
        design.looks.create(number=number, by=vera, reason="x", judgments=1)
    page = client.get(part).content.decode()
    warning = "Results were looked at 2 times. That this expert was left out after look 2 is stated"
    assert page.index(warning) < page.index(reverse("withdraw-expert", args=there[1:]))
    page = post(client, "withdraw-expert", judge, reason="They asked for it").content.decode()
    assert "That this expert was brought back after look 2 is stated" in page
    assert Judge.objects.get().withdrawn_at


def test_after_how_many_looks_somebody_was_withdrawn_or_brought_back_is_told(client, study, judge):
    design, vera = Design.objects.create(study=study), researcher()

    def look() -> None:
        made = {"by": vera, "reason": "x", "judgments": 1}
        design.looks.create(number=design.looks.count() + 1, **made)

    def told() -> list[tuple[str, bool, int]]:
        return [(one.code, one.restored, one.after_looks) for one in withdrawing.changes(study)]

    ben = expert(study, "Ben")
    assert told() == []
    withdrawing.withdraw(ben, "Fell ill", by=vera)
    look()
    withdrawing.withdraw(judge, "Their results", by=vera)
    look()
    withdrawing.restore(judge, by=vera)
    withdrawing.withdraw(judge, "After all", by=vera)
    everything = [
        (ben.code, False, 0), (judge.code, False, 1), (judge.code, True, 2), (judge.code, False, 2),
    ]  # fmt: skip
    assert told() == everything
    leaving.delete(judge)
    assert told() == [everything[0], *(("", *rest) for _, *rest in everything[1:])]


def test_who_was_withdrawn_before_the_log_began_is_told_by_their_own_date(study, judge):
    Judge.objects.filter(pk=judge.pk).update(withdrawn_at=timezone.now())
    (one,) = withdrawing.changes(study)
    assert (one.code, one.restored, one.after_looks) == (judge.code, False, 0)


def test_whoever_is_withdrawn_is_made_no_link(client, judge):
    post(client, "withdraw-expert", judge, reason="A mistake")
    for page in ("new-link", "send-invitation"):
        assert "bring them back first" in post(client, page, judge).content.decode()
    assert not judge.invitations.usable(timezone.now()).exists()
    assert not Letter.objects.exists()


def test_a_group_is_changed_until_poems_are_given(client, study):
    poets = Group.objects.create(study=study, name="poets", judges_per_item=2)
    study.items.update(group=poets)
    judge = expert(study, "Ada")
    there = reverse("expert-group", args=[study.slug, judge.code])
    part = reverse("expert-part", args=[study.slug, judge.code])
    assert there in client.get(part).content.decode()
    page = post(client, "expert-group", judge, group=poets.pk).content.decode()
    assert "The poems that Ada judges: those of poets." in page
    assert Entry.objects.get(kind="judge.grouped").actor
    judge.refresh_from_db()
    assert judge.group == poets
    ledger.deal(judge)
    assert there not in client.get(part).content.decode()
    assert "given poems already" in post(client, "expert-group", judge).content.decode()
    judge.refresh_from_db()
    assert judge.group == poets


def test_a_second_withdrawal_is_refused_and_changes_no_reason(client, study):
    judge = expert(study, "Ada")
    post(client, "withdraw-expert", judge, reason="Knew the poets")
    again = post(client, "withdraw-expert", judge, reason="By mistake")
    assert "withdrawn already" in again.content.decode()
    judge.refresh_from_db()
    assert judge.withdrawn_reason == "Knew the poets"


def test_a_group_of_another_study_is_no_group_here(client, study):
    Group.objects.create(study=study, name="poets", judges_per_item=2)
    elsewhere = Group.objects.create(study=open_study(), name="cooks", judges_per_item=2)
    judge = expert(study, "Ada")
    assert post(client, "expert-group", judge, group=elsewhere.pk).status_code == 422
    judge.refresh_from_db()
    assert judge.group is None


@pytest.mark.parametrize(
    ("module", "page", "typed"),
    [
        (standing, "withdraw-expert", {"reason": "Knew the poets"}),
        (standing, "restore-expert", {}),
        (standing, "replace-expert", {"name": "Ben"}),
        (standing, "expert-group", {}),
        (linking, "new-link", {}),
    ],
)
def test_about_whoever_deletes_themselves_meanwhile_nothing_is_found(
    client, study, monkeypatch, module, page, typed
):
    Group.objects.create(study=study, name="poets", judges_per_item=2)
    judge = expert(study, "Ada")
    Judge.objects.filter(pk=judge.pk).update(withdrawn_at=timezone.now())

    def read_and_left(slug: str, code: str) -> Judge:
        found = expert_on(slug, code)
        leaving.delete(Judge.objects.get(pk=judge.pk))
        return found

    monkeypatch.setattr(module, "expert_on", read_and_left)
    answer = post(client, page, judge, **typed)
    assert answer.status_code == 404
    assert "what was here is gone" in answer.content.decode()
    assert not study.judges.exists()


def test_whoever_is_replaced_already_is_not_replaced_again_and_the_page_says_by_whom(
    client, study, judge
):
    part = reverse("expert-part", args=[study.slug, judge.code])
    there = reverse("replace-expert", args=[study.slug, judge.code])
    assert there in client.get(part).content.decode()
    post(client, "replace-expert", judge, name="Ben")
    ben = study.judges.get(name="Ben")
    page = client.get(part).content.decode()
    assert there not in page
    assert reverse("expert-part", args=[study.slug, ben.code]) in page
    again = post(client, "replace-expert", judge, name="Cy").content.decode()
    assert "Ben is in the place of Ada already" in again
    assert set(study.judges.values_list("name", flat=True)) == {"Ada", "Ben"}


def test_whoever_is_brought_back_can_be_made_a_new_link_on_the_same_page(client, study, judge):
    there = reverse("new-link", args=[study.slug, judge.code])
    assert there not in client.get(reverse("expert-part", args=[study.slug, judge.code])).text
    assert there not in post(client, "withdraw-expert", judge, reason="A mistake").text
    assert there in post(client, "restore-expert", judge).text
    post(client, "new-link", judge)
    assert judge.invitations.usable(timezone.now()).count() == 1


def test_repeats_and_attention_items_are_named_beside_the_poems(client, study, judge):
    there = reverse("expert-part", args=[study.slug, judge.code])
    assert "1 poem answered." in " ".join(client.get(there).text.split())
    one = Assignment.objects.of(judge).waiting()[0]
    submit(one, survey(), milliseconds=None)
    Assignment.objects.filter(pk=one.pk).update(purpose="attention", counts=False)
    shown = " ".join(client.get(there).text.split())
    assert "1 poem answered, and 1 hidden repeat or attention item." in shown
