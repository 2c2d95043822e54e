"""Results are for researchers, and only once the key is unsealed."""

import csv
import io

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotation.judgments.leaving import delete, stop
from annotation.studies.consenting import agree, publish, wording_for
from annotation.studies.models import Consent, Judge, Study
from backend.design.models import DesignVersion
from tests.backend.analytics.reports.scales import likert_study
from tests.studies import coordinator, make_study, researcher

pytestmark = pytest.mark.django_db

PAGE = "/studies/known/results/"
FILE = "/results/known/auc-judgments-experts-q1.csv"


@pytest.fixture
def signed_in(client: Client) -> Client:
    client.force_login(researcher())
    return client


def test_a_researcher_reads_the_results(signed_in: Client) -> None:
    make_study(machines=["Gamma"])
    answer = signed_in.get(PAGE)
    assert answer.status_code == 200
    page = answer.content.decode()
    for words in (
        "Telling human from machine: the experts",
        "Telling human from machine: Gamma",
        "per judgment",
        "per poem",
    ):
        assert words in page


def test_results_name_the_fingerprint_of_the_opening_and_that_of_later_changes(
    signed_in: Client,
) -> None:
    study = make_study()
    page = signed_in.get(PAGE).content.decode()
    assert page.count(study.fingerprint) == 1
    assert "As it is now" not in page
    for number, fingerprint in ((1, "a" * 64), (2, study.fingerprint)):
        DesignVersion.objects.create(
            study=study, number=number, fingerprint=fingerprint, content={}
        )
    words = " ".join(signed_in.get(PAGE).content.decode().split())
    assert f'as it was opened: <code class="hash">{"a" * 64}</code>' in words
    assert f'after later changes: <code class="hash">{study.fingerprint}</code>' in words


def test_a_study_on_scales_shows_means_and_agreement(signed_in: Client) -> None:
    likert_study()
    page = signed_in.get(PAGE).content.decode()
    assert "Agreement between judges" in page
    assert "3.67" in page  # form of the human poem: 4 4 3
    assert "Not defined: only one value was given: it has no spread." in page


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_a_coordinator_is_refused(client: Client, address: str) -> None:
    make_study()
    client.force_login(coordinator())
    assert client.get(address).status_code == 403


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_a_stranger_is_sent_to_sign_in(client: Client, address: str) -> None:
    make_study()
    answer = client.get(address)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_a_sealed_study_shows_no_result_and_says_what_to_do(
    signed_in: Client, address: str
) -> None:
    make_study(unblinded=False)
    answer = signed_in.get(address)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "still sealed" in page
    assert 'href="/studies/known/"' in page
    assert "Alpha" not in page


def test_each_table_can_be_had_as_csv(signed_in: Client) -> None:
    make_study()
    answer = signed_in.get(FILE)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["model"], row["auc"]) for row in rows] == [("Alpha", "0.5"), ("Beta", "0.5")]


def test_a_model_named_like_a_formula_is_harmless_in_csv(signed_in: Client) -> None:
    make_study(models=["=HYPERLINK(1)"])
    text = b"".join(signed_in.get(FILE).streaming_content).decode()  # type: ignore[attr-defined]
    assert "\n'=HYPERLINK(1)," in text


def test_a_table_that_is_not_there_is_not_found(signed_in: Client) -> None:
    make_study()
    assert signed_in.get("/results/known/nonsense.csv").status_code == 404
    assert signed_in.get("/studies/unknown/results/").status_code == 404


def test_no_experts_name_is_on_the_page(signed_in: Client) -> None:
    make_study(judges=["Zebulon Quirke"])
    page = signed_in.get(PAGE).content.decode()
    assert "Quirke" not in page
    assert "quirke" not in page


def thank(study: Study, name: str, thanked_as: str) -> None:
    Consent.objects.filter(judge__study=study, judge__name=name).update(thanked_as=thanked_as)


def test_those_who_wish_are_thanked_by_the_names_they_gave(signed_in: Client) -> None:
    study = make_study(judges=["Anna", "Ben", "Cem"])
    thank(study, "Anna", "Zoë <Q>")
    thank(study, "Ben", "anton b.")
    page = signed_in.get(PAGE).content.decode()
    assert page.index("<li>anton b.</li>") < page.index("<li>Zoë &lt;Q&gt;</li>")
    assert "Cem" not in page


def test_who_stopped_and_kept_their_answers_is_thanked_as_they_wished(signed_in: Client) -> None:
    study = make_study(judges=["Anna", "Quentin"])
    thank(study, "Anna", "Anna Quirke")
    for judge in Judge.objects.filter(study=study):
        stop(judge)
    page = signed_in.get(PAGE).content.decode()
    assert "<li>Anna Quirke</li>" in page
    assert "Quentin" not in page


def test_who_had_everything_deleted_is_not_thanked(signed_in: Client) -> None:
    study = make_study(judges=["Anna"])
    thank(study, "Anna", "Anna Quirke")
    delete(Judge.objects.get(name="Anna"))
    assert "Quirke" not in signed_in.get(PAGE).content.decode()


def test_the_newest_consent_tells_whether_to_thank(signed_in: Client) -> None:
    study = make_study(judges=["Anna"])
    thank(study, "Anna", "Anna Quirke")
    judge = Judge.objects.get(name="Anna")
    publish(study, {"en": "You will read more poems."})
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    judge = Judge.objects.get(name="Anna")
    agree(judge, wording=wording_for(judge.study, "en"), promised=True)
    assert "Quirke" not in signed_in.get(PAGE).content.decode()


@pytest.mark.parametrize("unblinded", [True, False])
def test_a_coordinator_reads_no_thanks(client: Client, unblinded: bool) -> None:
    thank(make_study(unblinded=unblinded), "Anna", "Anna Quirke")
    client.force_login(coordinator())
    assert "Quirke" not in client.get(PAGE).content.decode()


def test_the_page_asks_the_database_a_fixed_number_of_times(
    signed_in: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_study(
        titles=[f"Title {n}" for n in range(6)], judges=["Anna", "Ben"], machines=["Gamma", "Delta"]
    )
    with django_assert_max_num_queries(24):
        signed_in.get(PAGE)
