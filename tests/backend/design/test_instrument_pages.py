"""The coordinator's way to an instrument of their own."""

import html
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.instruments.loading import published_all
from backend.design import examples, instruments
from backend.design.models import OwnInstrument
from tests.studies import coordinator

pytestmark = pytest.mark.django_db

NEW = "/studies/instruments/new/"
MINE = "/studies/instruments/my-instrument/"


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def text(**changes: object) -> str:
    return json.dumps({**examples.START, **changes}, ensure_ascii=False)


def typed(page: str) -> str:
    """Return what stands in the text area of a page."""
    found = re.search(r"<textarea[^>]*\bid=\"id_text\"[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert found
    return html.unescape(found[1])


def test_published_and_own_instruments_are_listed(client):
    instruments.save(text(title="Ours alone"))
    page = client.get(reverse("instruments")).content.decode()
    assert "Ours alone" in page
    assert all(html.escape(data["title"]) in page for data in published_all().values())
    assert reverse("instruments") in client.get(reverse("studies")).content.decode()


def test_a_new_instrument_starts_from_a_sound_one(client):
    page = client.get(NEW).content.decode()
    assert json.loads(typed(page)) == examples.START
    assert all(f'data-insert="example-{kind.kind}"' in page for kind in examples.KINDS)


@pytest.mark.parametrize("key", sorted(published_all()))
def test_a_published_one_is_shown_and_copied_and_cannot_be_changed(client, key):
    there = reverse("instrument", args=[key])
    page = client.get(there).content.decode()
    assert "What the export will hold" in page
    assert "<textarea" not in re.sub(r"<form class=\"questions\".*?</form>", "", page, flags=re.S)
    client.post(there, {"text": text(key=key), "do": "save"})
    assert not OwnInstrument.objects.exists()
    copied = json.loads(typed(client.get(f"{NEW}?from={key}").content.decode()))
    assert copied == {**published_all()[key], "key": f"my-{key}", "version": "1"}


def test_stages_and_pairs_are_shown_as_an_expert_meets_them(client):
    staged = client.get(reverse("instrument", args=["recognised-probability"])).content.decode()
    paired = client.get(reverse("instrument", args=["pair-choice"])).content.decode()
    assert staged.count("Once you go on, these answers are fixed.") == 1
    assert "Once you go on, these answers are fixed." not in paired
    assert "<option>A</option><option>B</option>" in paired
    assert "<option>A</option>" not in staged


def test_the_editor_says_how_a_likert_question_about_authorship_is_read(client):
    page = client.get(NEW).content.decode()
    assert "question about authorship is read as “higher means more human”" in page


def test_no_copy_is_made_of_what_is_not_there(client):
    assert client.get(f"{NEW}?from=none").status_code == 404
    assert client.get("/studies/instruments/none/").status_code == 404
    assert client.post("/studies/instruments/none/", {"text": text()}).status_code == 404


def test_checking_shows_the_form_the_prompt_and_the_export_and_saves_nothing(client):
    answer = client.post(NEW, {"text": text(), "seen": "0", "do": "check"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "The imagery is vivid." in page
    assert "Who has seen the wind?" in page
    assert "ratings.csv" in page
    assert "What a language model is asked" in page
    assert json.loads(typed(page)) == examples.START
    assert not OwnInstrument.objects.exists()


def test_saving_makes_a_version_that_a_study_can_be_built_on(client):
    answer = client.post(NEW, {"text": text(), "seen": "0", "do": "save"}, follow=True)
    assert answer.redirect_chain == [(MINE, 302)]
    assert "Version 1 is saved" in answer.content.decode()
    again = client.post(MINE, {"text": text(title="Renamed"), "seen": "1", "do": "save"})
    assert again.status_code == 302
    assert OwnInstrument.objects.newest().get().version == 2
    assert (
        '<option value="my-instrument">Renamed' in client.get(reverse("new-study")).content.decode()
    )


def test_an_earlier_version_can_be_read_and_saved_again(client):
    for seen, title in enumerate(("First", "Second")):
        instruments.save(text(title=title), key="my-instrument" if seen else "", seen=seen)
    page = client.get(f"{MINE}?version=1").content.decode()
    assert json.loads(typed(page))["title"] == "First"
    assert "Save as version 3" in page
    assert client.get(f"{MINE}?version=7").status_code == 404


@pytest.mark.parametrize("do", ["check", "save"])
def test_every_problem_is_shown_and_nothing_typed_is_lost(client, do):
    wrong = text(titel="T", questions=[{"key": "a", "kind": "liekrt", "text": "T"}])
    answer = client.post(NEW, {"text": wrong, "do": do})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert "questions[0].kind: 'liekrt' is none of" in page
    assert "titel: not a key of an instrument" in page
    assert typed(answer.content.decode()) == wrong
    assert not OwnInstrument.objects.exists()


def test_what_is_no_json_is_kept_with_the_line_of_the_fault(client):
    wrong = '{\n  "key": "a",\n  oops\n}'
    answer = client.post(NEW, {"text": wrong, "do": "save"})
    assert answer.status_code == 422
    assert "line 3" in answer.content.decode()
    assert typed(answer.content.decode()) == wrong


def test_a_file_takes_the_place_of_the_text(client):
    for title in ("From a file", "片名"):
        file = SimpleUploadedFile("mine.json", ("\ufeff" + text(title=title)).encode())
        answer = client.post(NEW, {"text": "left over", "file": file, "do": "check"})
        assert answer.status_code == 200
        assert json.loads(typed(answer.content.decode()))["title"] == title


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff\xfe\x00", "no text in UTF-8"), (b"x" * 200_001, "larger than")]
)
def test_a_file_that_cannot_be_read_loses_no_text(client, content, said):
    file = SimpleUploadedFile("mine.json", content)
    answer = client.post(NEW, {"text": text(), "file": file, "do": "save"})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert json.loads(typed(answer.content.decode())) == examples.START


def test_nothing_at_all_is_refused(client):
    answer = client.post(NEW, {"text": "  ", "do": "save"})
    assert answer.status_code == 422
    assert "Write the instrument, or choose a file" in answer.content.decode()


def test_of_two_who_save_at_once_the_second_is_told_and_keeps_what_they_wrote(client):
    instruments.save(text())
    first = client.post(MINE, {"text": text(title="Hers"), "seen": "1", "do": "save"})
    mine = text(title="His")
    second = client.post(MINE, {"text": mine, "seen": "1", "do": "save"})
    page = second.content.decode()
    assert (first.status_code, second.status_code) == (302, 409)
    assert "Version 2 was saved meanwhile" in page
    assert typed(page) == mine
    assert 'name="seen" value="2"' in page
    assert client.post(MINE, {"text": mine, "seen": "2", "do": "save"}).status_code == 302


def test_markup_in_an_instrument_is_shown_as_text(client):
    answer = client.post(NEW, {"text": text(instructions="<script>x</script>"), "do": "check"})
    assert "<script>x" not in answer.content.decode()
