"""Results are for researchers, and only once the key is unsealed."""

import csv
import io

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotation.judgments.leaving import delete, stop
from annotation.studies.consenting import agree, publish, wording_for
from annotation.studies.models import Consent, Judge, Study
from backend.analytics import services
from backend.analytics.presenting import present
from backend.analytics.tables import Cell, Column, Table
from backend.analytics.templatetags import cautions
from backend.design.models import Design, DesignVersion
from tests.backend.analytics.reports.scales import likert_study
from tests.studies import coordinator, make_study, researcher

pytestmark = pytest.mark.django_db

PAGE = "/studies/known/results/"
FILE = "/results/known/auc-judgments-experts-q1.csv"
ALONE = "/results/known/auc-judgments-experts-q1/"


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


@pytest.mark.parametrize("address", [PAGE, FILE, ALONE])
def test_a_coordinator_is_refused(client: Client, address: str) -> None:
    make_study()
    client.force_login(coordinator())
    assert client.get(address).status_code == 403


@pytest.mark.parametrize("address", [PAGE, FILE, ALONE])
def test_a_stranger_is_sent_to_sign_in(client: Client, address: str) -> None:
    make_study()
    answer = client.get(address)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")


@pytest.mark.parametrize("address", [PAGE, FILE, ALONE])
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
    assert signed_in.get("/results/known/nonsense/").status_code == 404
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


def test_the_page_begins_with_what_the_results_come_to_and_how_to_read_them(
    signed_in: Client,
) -> None:
    make_study()
    page = " ".join(signed_in.get(PAGE).content.decode().split())
    begin = page[page.index("In short") : page.index("On this page")]
    assert "<b>different: 0</b>" in begin
    assert "<b>equivalent: 0</b> (no margin was fixed)" in begin
    assert "<b>not defined: 2</b>: Alpha (AUC 0.500), Beta (AUC 0.500)" in begin
    assert 'href="#table-auc-judgments-experts-q1"' in begin
    assert 'href="/help/#figures"' in begin


def test_the_margin_that_was_fixed_stands_with_the_verdicts(signed_in: Client) -> None:
    study = make_study()
    Design.objects.filter(study=study).update(margin=0.05)
    assert "equivalent within 0.05: 0" in signed_in.get(PAGE).content.decode()


def test_the_contents_lead_to_every_table(signed_in: Client) -> None:
    study = make_study(machines=["Gamma"])
    page = signed_in.get(PAGE).content.decode()
    contents = page[page.index("On this page") : page.index("</nav>", page.index("On this page"))]
    for table in services.report(study).tables():
        assert f'href="#table-{table.key}"' in contents
        assert page.count(f'id="table-{table.key}"') == 1


def test_one_table_has_a_page_of_its_own(signed_in: Client) -> None:
    make_study()
    page = signed_in.get(ALONE).content.decode()
    assert "<h1>ROC-AUC of each model against human poems" in page
    assert 'href="/studies/known/results/#table-auc-judgments-experts-q1"' in page
    assert '<th scope="row">Alpha</th>' in page
    assert f'href="{FILE}"' in page


def test_a_long_table_that_is_looked_up_is_read_on_its_own_page(signed_in: Client) -> None:
    make_study(models=[f"Model {n:02}" for n in range(15)])
    page = signed_in.get(PAGE).content.decode()
    alone = "/results/known/auc-differences-experts-q1/"
    assert f'<a href="{alone}">Show all 105 rows</a>' in page
    row = '<th scope="row">Model 13</th>\n'
    whole = signed_in.get(alone).content.decode()
    assert "105 rows" in whole
    assert whole.count('<th scope="row">') == 105
    assert page.count(row) < 105


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        ("gpt-4o: few titles", "gpt-4o: few titles"),
        ("gpt-4o, o3: few titles", "gpt-4o, o3: few titles"),
        ("gpt-4o and o3: few titles", "gpt-4o and o3: few titles"),
        ("gpt-4os are many", "Gpt-4os are many"),
        ("few titles", "Few titles"),
    ],
)
def test_a_note_is_a_sentence_but_no_name_is_written_otherwise(note: str, sentence: str) -> None:
    rows = ((Cell("gpt-4o"),), (Cell("o3"),))
    table = Table("some", "Some", "", (Column("model", "Model"),), rows)
    assert cautions.sentence(note, present(table)) == sentence
