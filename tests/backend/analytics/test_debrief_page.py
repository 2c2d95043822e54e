"""Experts are told who wrote what they judged: when all is over, their own, and only then."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from annotation.activity.models import Entry
from annotation.activity.services import keyed
from annotation.judgments.models import Judgment
from annotation.judgments.services import edit
from annotation.studies import links
from annotation.studies.models import Assignment, Invitation, Judge, Study
from backend.design.models import Design
from tests.backend.analytics.answering import closed, pair_study, reopened
from tests.studies import make_study

pytestmark = pytest.mark.django_db

THEN = datetime(2026, 4, 2, tzinfo=UTC)


def told(study: Study) -> Study:
    Study.objects.filter(pk=study.pk).update(debrief_at=THEN)
    return Study.objects.get(pk=study.pk)


def address(study: Study, name: str = "Anna") -> str:
    """Return where that expert would be told: their link was made while the study was open."""
    reopened(study)
    secret = links.link_for(Judge.objects.get(study=study, name=name)).secret
    Study.objects.filter(pk=study.pk).update(state=study.state)
    return f"/desk/{secret}/debrief/"


def read(client: Client, study: Study, name: str = "Anna") -> str:
    answer = client.get(address(study, name))
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_expert_reads_who_wrote_what_and_how_well_they_told(client: Client) -> None:
    said = {("human", "Dawn"): 0.9, ("human", "Dusk"): 0.4, ("Alpha", "Dawn"): 0.6}
    study = make_study(
        models=["Alpha"], answers=lambda _judge, author, title: said.get((author, title))
    )
    page = read(client, told(study))
    assert page.count("written by the language model Alpha") == 1
    assert "written by The poet of Dawn, a human" in page
    assert "written by The poet of Dusk, a human" in page
    assert "Your answer to question 1: 0.9" in page
    # .9 beats .6, .4 does not: one of two. Right: .9; wrong: .4 and .6.
    assert "with a chance of 0.50" in page
    assert "human poems: 2, models’ poems: 1" in page
    assert "Of 3 answers that leaned to a side, 1 were right: a share of 0.33" in page
    assert "Between 0.8 and 1.0: 1 poem, 1 of them by a human." in page


def test_the_log_says_who_was_told_once_an_hour_and_of_nobody_before_its_time(
    client: Client,
) -> None:
    client.get(address(make_study(slug="sealed")))
    views = Entry.objects.filter(kind="debrief.viewed").order_by("pk")
    assert not views.exists()
    study = told(make_study())
    for name in ("Anna", "Anna", "Ben"):
        read(client, study, name)
    anna, ben = (Judge.objects.get(study=study, name=name) for name in ("Anna", "Ben"))
    assert list(views.values_list("study", "actor", "subject", "details")) == [
        (study.slug, "", keyed(one.log_key, f"judge {one.pk}"), {}) for one in (anna, ben)
    ]


def test_only_their_own_answers_are_told(client: Client) -> None:
    study = make_study(
        titles=["Dawn"],
        models=["Alpha"],
        answers=lambda judge, author, _title: (
            {"Anna": 0.9, "Ben": 0.125}[judge] if (judge, author) != ("Anna", "Alpha") else None
        ),
    )
    page = read(client, told(study))
    assert "0.125" not in page
    assert "Alpha" not in page
    assert "Ben" not in page


def test_nothing_is_told_before_its_time(client: Client) -> None:
    assert client.get(address(make_study())).status_code == 404


def test_nothing_is_told_while_the_key_is_sealed(client: Client) -> None:
    study = told(make_study(unblinded=False))
    assert client.get(address(study)).status_code == 404
    Design.objects.filter(study=study).delete()
    assert client.get(address(study)).status_code == 404


def test_nothing_is_told_while_the_study_is_open(client: Client) -> None:
    assert client.get(address(reopened(told(make_study())))).status_code == 404


def test_another_studys_debrief_tells_its_own_experts_only(client: Client) -> None:
    told(make_study(slug="over", models=["Omega"]))
    sealed = make_study(slug="going-on")
    assert client.get(address(sealed)).status_code == 404


def test_an_unknown_link_tells_nothing(client: Client) -> None:
    told(make_study())
    answer = client.get("/desk/nobodys-secret/debrief/")
    assert answer.status_code == 404
    assert "Alpha" not in answer.content.decode()


def test_an_expired_link_still_tells(client: Client) -> None:
    study = told(make_study())
    where = address(study)
    Invitation.objects.update(expires_at=THEN)
    assert client.get(where).status_code == 200


def test_an_edited_answer_is_told_as_it_stands(client: Client) -> None:
    study = reopened(make_study(titles=["Dawn"], models=[], judges=["Anna"]))
    edit(Judgment.objects.get(), {"probability_human": 0.125}, edits=1)
    page = read(client, told(closed(study)))
    assert "Your answer to question 1: 0.125" in page
    assert "question 1: 0.5" not in page


def test_whoever_judged_nothing_is_told_so(client: Client) -> None:
    study = make_study(answers=lambda judge, *_: None if judge == "Anna" else 0.5)
    page = read(client, told(study))
    assert "You have judged no poem of this study" in page
    assert "Alpha" not in page


def test_what_is_not_defined_says_why(client: Client) -> None:
    study = make_study(models=[], answers=lambda *_: 0.5)
    page = read(client, told(study))
    assert "ROC-AUC: not defined, as it needs answers about poems by humans and" in page
    assert "Share of right answers: not defined, as no answer leaned to a side." in page


def test_a_pair_is_told_as_it_was_shown(client: Client) -> None:
    study = pair_study(lambda *_: {"human_text": 1}, titles=["Dawn"], flipped=lambda *_: True)
    assert Assignment.objects.get(judge__study=study).flipped
    page = " ".join(read(client, told(study)).split())
    machine = page.index("Text A: written by the language model Alpha")
    assert machine < page.index("Text B: written by The poet of Dawn, a human")
    assert "Of 1 answer that leaned to a side, 0 was right" in page


def test_the_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(client: Client) -> None:
    page = read(client, told(make_study()))
    assert "style=" not in page
    assert "http://" not in page
    assert "https://" not in page
