"""The ledger page: the same figures as the rows, no word of authorship, and what follows."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.judgments.services import submit
from annotation.studies import amending
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Group, Judge, Study
from backend.design.services import open_study as open_draft
from backend.panel.ledger import daily, letter
from backend.panel.models import Letter
from tests.annotation.panel import expert, survey
from tests.backend.design.material import AUTHOR, MODEL, SOURCE, TITLE, draft
from tests.backend.panel import conftest
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db


def body(client: Client, page: str, *args: object) -> str:
    response = client.get(reverse(page, args=args))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def figure(page: str, name: str) -> str:
    """Return what stands at a figure of the page."""
    (found,) = re.findall(rf'data-figure="{re.escape(name)}"[^>]*>([^<]*)<', page)
    return found


def total(page: str) -> dict[str, int]:
    names = ("planned", "done", "leased", "free", "withdrawn", "extra")
    return {name: int(figure(page, f"total-{name}")) for name in names}


def answer(judge: Judge, number: int) -> None:
    for assignment in Assignment.objects.of(judge).waiting().in_order()[:number]:
        submit(assignment, survey(), milliseconds=9000)


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "A"), (1, "B"), (25, "Z"), (26, "AA"), (27, "AB"), (51, "AZ"), (52, "BA"), (702, "AAA")],
)
def test_cells_are_lettered_as_columns_of_a_spreadsheet(number, name):
    assert letter(number) == name


def test_the_page_counts_what_became_of_each_place(client, study):
    # Twelve places: six poems with two judges each.
    ada, ben, eve = (expert(study, name) for name in ("Ada", "Ben", "Eve"))
    for judge in (ada, ben, eve):
        assert ledger.deal(judge) == 3
    answer(ada, 2)
    answer(ben, 1)
    late = Assignment.objects.of(ben).waiting().in_order()[0]
    ledger.give_back_waiting(ben)
    submit(late, survey(), milliseconds=None)
    answer(eve, 3)
    amending.withdraw(eve, "fell ill")
    page = body(client, "ledger", study.slug)
    assert total(page) == {
        "planned": 12, "done": 3, "leased": 1, "free": 8, "withdrawn": 3, "extra": 1
    }  # fmt: skip
    by_stratum = [int(figure(page, f"stratum-{cell}-done")) for cell in (0, 1)]
    assert sum(by_stratum) == 3
    assert [figure(page, f"{ada.code}-{name}") for name in ("answered", "waiting", "week")] == [
        "2", "1", "2"
    ]  # fmt: skip
    assert figure(page, f"{ben.code}-late") == "1"
    assert figure(page, f"{ben.code}-given-back") == "1"
    assert figure(page, f"{eve.code}-state") == "withdrawn"


def test_the_bars_stretches_are_the_shares_of_what_they_stand_for(client, study):
    ada = expert(study, "Ada")
    ledger.deal(ada)
    answer(ada, 1)
    page = body(client, "ledger", study.slug)
    stretches = {
        name: (float(x), float(width))
        for name, x, width in re.findall(
            r'data-figure="total-bar-(\w+)" x="([\d.]+)" y="0" width="([\d.]+)"', page
        )
    }
    assert stretches == {
        "done": (0, 8.33), "leased": (8.33, 16.67), "free": (25, 75), "withdrawn": (100, 0),
        "extra": (100, 0),
    }  # fmt: skip


def test_the_figures_that_renew_themselves_are_those_of_the_page(client, study):
    ledger.deal(expert(study, "Ada"))
    page, fragment = (body(client, name, study.slug) for name in ("ledger", "ledger-figures"))
    names = re.findall(r'data-figure="([^"]+)"', fragment)
    assert len(names) == len(set(names)) > 20
    assert names == re.findall(r'data-figure="([^"]+)"', page)
    assert "<html" not in fragment
    assert f'data-figures="{reverse("ledger-figures", args=[study.slug])}"' in page


def test_cells_are_letters_and_nothing_of_authorship_or_answers_stands_there(client):
    study = draft()
    open_draft(study, by=coordinator("vi"))
    study.refresh_from_db()
    page = body(client, "ledger", study.slug) + body(client, "care", study.slug)
    secrets = {AUTHOR, SOURCE, TITLE, MODEL, *study.items.values_list("stratum", flat=True)}
    assert not [secret for secret in secrets if secret in page]
    assert "what they stand for is in the sealed key" in page


def test_groups_are_named(client, study):
    poets = Group.objects.create(study=study, name="Poets", judges_per_item=2)
    study.items.filter(pk=study.items.first().pk).update(group=poets)
    page = body(client, "ledger", study.slug)
    assert "By group" in page
    assert re.search(r'<th scope="row">Poets</th> <td[^>]*>1</td> <td[^>]*>2</td>', page)


def test_a_draft_and_a_closed_study_have_figures_and_no_future(client, study):
    for state, fingerprint in (("draft", ""), ("closed", "f")):
        Study.objects.update(state=state, fingerprint=fingerprint)
        page = body(client, "ledger", study.slug)
        assert total(page)["planned"] == 12
        assert "What is to come" not in page
        assert "Who may need a word" not in page
        assert "data-figures=" not in page


def test_a_closed_study_speaks_of_what_was_not_answered_and_of_nothing_to_come(client, study):
    ada = expert(study, "Ada")
    ledger.deal(ada)
    answer(ada, 1)
    assert "Kept until" in body(client, "ledger", study.slug)
    Study.objects.update(state="closed", closed_at=timezone.now())
    page = body(client, "ledger", study.slug)
    assert (total(page)["leased"], total(page)["free"]) == (2, 9)
    assert "<dt>unanswered</dt>" in page
    assert "<dt>not given</dt>" in page
    for word in ("leased</dt>", "Leased", "free</dt>", "Waiting", "Kept until", "comes next"):
        assert word not in page
    assert "Waiting" not in body(client, "panel", study.slug)


def test_strata_of_different_size_are_left_out_with_the_reason(client, study):
    assert "By stratum" in body(client, "ledger", study.slug)
    study.items.last().delete()
    page = body(client, "ledger", study.slug)
    assert "By stratum" not in page
    assert "not of equal size" in page


def test_where_nobody_is_invited_nobody_has_opened_a_link(client, study):
    page = body(client, "ledger", study.slug)
    assert "Everybody has opened" not in page
    assert page.count("Nobody is invited yet.") == 2


def test_how_many_places_nobody_can_fill_is_said_with_the_experts_wanted(client, study):
    expert(study)
    page = body(client, "ledger", study.slug)
    assert "With the present experts, 6 places cannot be filled. Invite at least 1 more." in page
    expert(study)
    assert "cannot be filled" not in body(client, "ledger", study.slug)


def test_days_are_counted_whole_since_the_opening_and_of_those_at_work(study):
    now = timezone.now()
    ada, ben = expert(study), expert(study)
    for judge in (ada, ben):
        ledger.deal(judge)
        answer(judge, 3)
    for judge, days in ((ada, (0, 1, 3)), (ben, (1, 2, 3))):
        for assignment, back in zip(Assignment.objects.of(judge), days, strict=True):
            at = now - timedelta(days=back)
            Assignment.objects.filter(pk=assignment.pk).update(answered_at=at)
    Study.objects.update(opened_at=now - timedelta(days=4))
    study.refresh_from_db()
    assert daily(study, {ada.pk, ben.pk}, now) == [0, 2, 1, 2]
    assert daily(study, {ada.pk}, now) == [0, 1, 0, 1]


def test_a_forecast_is_not_told_without_days_and_then_is(client, study):
    page = body(client, "ledger", study.slug)
    assert "There is no forecast. No expert is at work." in page
    judges = [expert(study) for _ in range(3)]
    for back, judge in enumerate(judges, start=1):
        ledger.deal(judge)
        answer(judge, 1)
        at = timezone.now() - timedelta(days=back)
        Assignment.objects.of(judge).answered().update(answered_at=at)
    Study.objects.update(opened_at=timezone.now() - timedelta(days=3))
    page = body(client, "ledger", study.slug)
    # One a day, and nine are left.
    day = timezone.now() + timedelta(days=9)
    assert f"by about <strong>{day.day} {day:%B %Y}</strong>" in page


class TestRaising:
    """More judges for each poem of an open study."""

    @pytest.fixture
    def study(self, db: None) -> Study:
        study = draft()
        open_draft(study, by=researcher())
        return Study.objects.get(pk=study.pk)

    def post(self, client: Client, study: Study, **typed: object):  # type: ignore[no-untyped-def]
        given = {"judges_per_item": study.judges_per_item + 2, "reason": "more", "sure": "on"}
        return client.post(
            reverse("raise-places", args=[study.slug]), {**given, **typed}, follow=True
        )

    def test_every_poem_has_more_places_under_a_new_fingerprint(self, client, study):
        before, wanted = study.fingerprint, study.judges_per_item + 2
        said = self.post(client, study, reason="A second panel").content.decode()
        study.refresh_from_db()
        assert set(study.items.judged().values_list("places", flat=True)) == {wanted}
        assert study.judges_per_item == wanted
        version = study.versions.last()
        assert (version.number, version.reason, version.made_by.username) == (
            2, "A second panel", "kim"
        )  # fmt: skip
        assert study.fingerprint == version.fingerprint != before
        assert version.fingerprint in said
        assert Entry.objects.filter(kind="study.amended", actor="kim").exists()

    @pytest.mark.parametrize(
        "typed",
        [{"judges_per_item": 1}, {"judges_per_item": "x"}, {"reason": ""}, {"sure": ""}],
    )
    def test_what_raises_nothing_or_has_no_reason_changes_nothing(self, client, study, typed):
        answer = self.post(client, study, **typed)
        assert answer.status_code == 422
        assert study.versions.count() == 1
        assert set(study.items.values_list("places", flat=True)) == {study.judges_per_item}
        assert '<details class="panel" open>' in answer.content.decode()

    def test_a_group_is_raised_alone(self, client, study):
        poets = Group.objects.create(study=study, name="poets", judges_per_item=2)
        one = study.items.first()
        study.items.filter(pk=one.pk).update(group=poets, places=2)
        self.post(client, study, group=poets.pk, judges_per_item=5)
        assert list(study.items.filter(places=5)) == [one]
        poets.refresh_from_db()
        assert poets.judges_per_item == 5

    def test_a_group_without_poems_is_refused_beside_its_field(self, client, study):
        poets = Group.objects.create(study=study, name="poets", judges_per_item=2)
        answer = self.post(client, study, group=poets.pk, judges_per_item=5)
        assert answer.status_code == 422
        assert "No item of the group poets" in answer.content.decode()
        assert study.versions.count() == 1

    def test_a_closed_study_is_not_raised(self, client, study):
        Study.objects.update(state="closed")
        assert "Only of an open study" in self.post(client, study).content.decode()
        assert study.versions.count() == 1


@pytest.fixture
def silent(study: Study, swept: list[str]) -> list[Judge]:
    """Two experts who have been silent for nine days, with poems waiting and addresses."""
    judges = []
    for name in ("Ada", "Ben"):
        judge = expert(study, name)
        Judge.objects.filter(pk=judge.pk).update(email=f"{name.lower()}@reader.example")
        ledger.deal(judge)
        conftest.long_ago(judge, 9)
        judges.append(judge)
    return judges


def remind(client: Client, study: Study, judge: Judge, **typed: str):  # type: ignore[no-untyped-def]
    address = reverse("remind", args=[study.slug, judge.code])
    return client.post(address, {"from": "ledger", **typed}, follow=True)


def test_one_click_reminds_and_leads_back_to_the_ledger(client, study, silent):
    assert "Remind all of these (2)" in body(client, "ledger", study.slug)
    answer = remind(client, study, silent[0])
    assert answer.redirect_chain[-1][0] == reverse("ledger", args=[study.slug])
    page = " ".join(answer.content.decode().split())
    assert "The reminder to Ada is on its way." in page
    assert "Remind all of these (1)" in page
    assert "Remind again" in page
    assert Letter.objects.get().judge == silent[0]


def test_a_second_letter_within_a_day_is_asked_about_first(client, study, silent):
    remind(client, study, silent[0])
    Letter.objects.update(status="done", sent_at=timezone.now())
    answer = remind(client, study, silent[0])
    assert answer.status_code == 409
    assert "Nothing was sent yet" in answer.content.decode()
    assert Letter.objects.count() == 1
    remind(client, study, silent[0], again="yes")
    assert Letter.objects.count() == 2


def test_all_of_a_list_are_reminded_but_for_those_written_to_within_a_day(client, study, silent):
    conftest.letter(silent[0], "message", subject="s", body="b", status="done")
    address = reverse("remind-these", args=[study.slug, "silent"])
    page = client.post(address, {"from": "ledger"}, follow=True).content.decode()
    assert "Reminders on their way: 1." in page
    assert "within a day: 1." in page
    assert [row.judge for row in Letter.objects.filter(kind="reminder")] == [silent[1]]


@pytest.mark.parametrize("which", ["lease", "unopened"])
def test_of_another_list_nobody_is_reminded(client, study, silent, which):
    Judge.objects.update(active_at=timezone.now())
    for judge in silent:
        judge.invitations.update(first_used_at=timezone.now())
    client.post(reverse("remind-these", args=[study.slug, which]))
    assert not Letter.objects.exists()


def test_there_is_no_other_list(client, study):
    assert client.post(reverse("remind-these", args=[study.slug, "rich"])).status_code == 404


def test_the_care_page_shows_figures_beside_what_is_usual_and_no_answer(client, study):
    hasty = expert(study, "Hasty")
    ledger.deal(hasty)
    for assignment in Assignment.objects.of(hasty):
        submit(assignment, survey(), milliseconds=100)
    page = body(client, "care", study.slug)
    assert "Hasty" in page
    assert "too few to flag" in page
    assert ">flag<" not in page
    study.items.update(places=9)
    ledger.deal(hasty)
    for assignment in Assignment.objects.of(hasty).waiting():
        submit(assignment, survey(), milliseconds=100)
    page = body(client, "care", study.slug)
    (row,) = re.findall(r'<tr> <th scope="row"><a [^>]*>Hasty.*?</tr>', page)
    assert row.count(">flag<") == 4  # run, share, spread, seconds
    assert "Nobody is left out of anything by this page" in page
