"""The guided page: live counts, methods to begin with, and what is refused beside its field."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.instruments.loading import published
from annotation.studies.models import Study
from backend.corpus.models import Collection
from backend.design import instruments, services
from backend.design.forms import PlanForm
from backend.design.plan_form import STEPS
from backend.design.plan_rows import ATTENTION_FIELDS
from backend.design.planning import NothingToJudge
from backend.generation.models import Generation
from tests.backend.design.material import SOURCE, Material, material, poem, write
from tests.studies import coordinator

pytestmark = pytest.mark.django_db

QUESTION = published("poemetric-survey")["questions"][0]["key"]


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def filled(of: Material, **changes: object) -> dict[str, object]:
    return {
        "title": "Spring study",
        "contact": "panel@university.example",
        "instrument": "poemetric-survey",
        "collection": of.collection.pk,
        "runs": [of.run.pk],
        "models": [one.pk for one in of.models],
        "judges_per_item": "2",
        "batch_size": "5",
        "seed": "11",
        **changes,
    }


def test_what_is_left_empty_is_as_the_page_has_it_at_first(client):
    client.post(reverse("new-study"), filled(material()))
    study = Study.objects.get()
    assert (study.dealing, study.twins, study.apart, study.late) == ("batch", "never", 2, "out")
    assert (study.lease_hours, study.repeats, study.attention_every) == (14 * 24, 0, 0)
    assert study.design.unsealing_needs == 1
    assert study.design.surface_limit == 0.6
    assert len(study.design.recipe) > 10


def test_every_rule_of_the_page_is_kept(client):
    chosen = {
        "dealing": "draw", "twins": "last", "apart": "3", "lease_days": "2", "late": "in",
        "repeats": "2", "repeat_after_days": "5", "attention_every": "4",
        "attention_1_text": "Choose 5.\r\nEverywhere.", "attention_1_answers": f"{QUESTION}: 5",
        "group_1_name": "poets", "group_1_judges": "4", "group_1_forms": "ballad, sonnet",
        "analysis_plan": "One.\r\nTwo.", "seconds_per_line": "1.5", "failed_attention": "2",
        "interim_looks": "on", "unsealing_needs": "2", "surface_limit": "0.7",
        "steps": ["one kind of line end"],
    }  # fmt: skip
    answer = client.post(reverse("new-study"), filled(material(), **chosen))
    assert answer.status_code == 302
    study = Study.objects.get()
    design = study.design
    assert (study.dealing, study.twins, study.apart, study.late) == ("draw", "last", 3, "in")
    assert (study.lease_hours, study.repeats, study.repeat_after_days) == (48, 2, 5)
    assert study.attention_every == 4
    item = study.items.get(attention=True)
    assert item.text == "Choose 5.\nEverywhere."
    assert item.attention_check.expected == {QUESTION: "5"}
    assert study.groups.get().judges_per_item == 4
    assert design.analysis_plan == "One.\nTwo."
    assert design.exclusions == {
        "recognised": None, "seconds_per_line": 1.5, "failed_attention": 2,
    }  # fmt: skip
    assert (design.interim_looks, design.unsealing_needs, design.surface_limit) == (True, 2, 0.7)
    assert design.recipe == ["one kind of line end"]


@pytest.mark.parametrize(
    "written", ['ballad, "sonnet, English"', 'ballad,\r\n"sonnet, English"', '"sonnet, English",']
)
def test_the_name_of_a_form_may_have_a_comma(client, written):
    shelf = material()
    shelf.collection.poems.update(form="sonnet, English")
    groups = {"group_1_name": "poets", "group_1_forms": written}
    answer = client.post(reverse("new-study"), filled(shelf, **groups))
    assert answer.status_code == 302
    assert not Study.objects.get().items.filter(group=None).exists()


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"attention_every": "3"}, "attention_every", "write at least one"),
        ({"attention_1_text": "Choose.", "attention_1_answers": f"{QUESTION}: 5"},
         "attention_every", "after how many"),
        ({"attention_1_text": "Choose.", "attention_1_answers": "none: 5", "attention_every": "3"},
         "attention_1_answers", "“none” is no question"),
        ({"attention_1_text": "Choose.", "attention_1_answers": f"{QUESTION}: 99",
          "attention_every": "3"}, "attention_1_answers", QUESTION),
        ({"attention_1_text": "Choose.", "attention_every": "3"}, "attention_1_answers",
         "at least one answer"),
        ({"attention_1_text": "One.\n---\nTwo.", "attention_1_answers": f"{QUESTION}: 5",
          "attention_every": "3"}, "attention_1_text", "one text at a time"),
        ({"attention_1_answers": f"{QUESTION}: 5"}, "attention_1_text", "Write the text"),
        ({"group_1_judges": "3"}, "group_1_name", "Name the group"),
        ({"group_1_name": "A", "group_1_forms": '"sonnet, ballad'}, "group_1_forms",
         "in quotation marks"),
        ({"group_1_name": "A", "group_2_name": "a"}, "group_2_name", "Another group"),
        ({"recognised": "2"}, "recognised", "does not ask whether a poem is known"),
        ({"recognised": "9", "instrument": "recognised-probability"}, "recognised",
         "levels of this instrument are 0, 1"),
        ({"failed_attention": "1"}, "failed_attention", "tests no attention"),
        ({"surface_limit": "0.4"}, "surface_limit", "greater than or equal to 0.5"),
        ({"lease_days": "0"}, "lease_days", "greater than or equal to 1"),
        ({"steps": ["none"]}, "steps", "valid choice"),
        ({"unsealing_needs": "3"}, "unsealing_needs", "valid choice"),
        ({"collection": str(2**63)}, "collection", "valid choice"),
        *(
            ({name: [str(key)]}, name, "valid choice")
            for name in ("runs", "models")
            for key in (2**63, -(2**63) - 1, 10**30)
        ),
        ({"runs": ["9" * 5000]}, "runs", "valid value"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_beside_its_field(changes, field, said):
    form = PlanForm(filled(material(), **changes))
    assert not form.is_valid()
    assert said in " ".join(form.errors[field])


@pytest.mark.parametrize("wrong", ["none: 5", f"{QUESTION}: 99", ""])
def test_a_wrong_test_of_attention_is_not_said_to_be_missing(wrong):
    given = {"attention_1_text": "Choose.", "attention_1_answers": wrong}
    form = PlanForm(filled(material(), attention_every="3", failed_attention="1", **given))
    assert set(form.errors) == {"attention_1_answers"}


def test_a_text_of_a_test_that_is_too_long_is_not_said_to_be_missing():
    given = {"attention_1_text": "x" * 5001, "attention_1_answers": f"{QUESTION}: 5"}
    form = PlanForm(filled(material(), attention_every="3", **given))
    assert set(form.errors) == {"attention_1_text"}
    assert len(form.errors["attention_1_text"]) == 1


def test_a_test_of_attention_for_pairs_has_two_texts():
    first = published("pair-choice")["questions"][0]["key"]
    form = PlanForm(
        filled(
            material(), instrument="pair-choice", attention_every="2",
            attention_1_text="Choose this.\r\n---\r\nNot this.", attention_1_answers=f"{first}: 1",
        )
    )  # fmt: skip
    assert form.is_valid(), form.errors
    [test] = form.plan().attention
    assert (test.text, test.second) == ("Choose this.", "Not this.")


def test_counts_are_the_servers_and_nothing_is_built(client):
    there, shelf = reverse("study-counts"), material()
    answer = client.post(there, filled(shelf, title="", contact="")).json()
    assert {name: answer[name] for name in ("items", "judgments", "sets", "experts")} == {
        "items": 9, "judgments": 18, "sets": 4, "experts": 6,
    }  # fmt: skip
    assert answer["hours"] > 0
    assert client.post(there, filled(shelf, twins="last")).json()["experts"] == 2
    assert not Study.objects.exists()


def test_counts_tell_human_from_machine_texts_and_say_which_are_lacking(client):
    there, shelf = reverse("study-counts"), material()
    poem(shelf.collection, 3)
    answer = client.post(there, filled(shelf)).json()
    assert (answer["human"], answer["machine"], answer["note"]) == (4, 6, "")
    pairs = client.post(there, filled(shelf, instrument="pair-choice")).json()
    assert (pairs["items"], pairs["human"], pairs["machine"]) == (6, 3, 6)
    Generation.objects.all().delete()
    elsewhere = poem(Collection.objects.create(name="Another shelf"), 9)
    write(shelf.run, shelf.models[0], elsewhere, "By a machine.")
    alone = filled(shelf, models=[shelf.models[0].pk])
    answer = client.post(there, alone).json()
    assert (answer["human"], answer["machine"]) == (4, 0)
    assert answer["note"] == (
        "No machine text is among them, so there is nothing to tell the human texts from. "
        "The chosen runs have no poem on these briefs."
    )
    page = client.post(reverse("new-study"), {**alone, "count": "yes"}).content.decode()
    assert '<dd data-count="machine">0</dd>' in page
    assert "No machine text is among them" in page


def test_nothing_is_lacking_where_nobody_is_to_tell_texts_apart(client):
    shelf = material()
    instrument = dict(published("poemetric-survey"))
    asked = [one for one in instrument["questions"] if one.get("about") != "authorship"]
    instruments.save(json.dumps({**instrument, "key": "likes", "questions": asked}))
    given = filled(shelf, runs=[], models=[], instrument="likes")
    assert client.post(reverse("study-counts"), given).json()["note"] == ""
    given |= {"instrument": "poemetric-survey"}
    assert "No machine text" in client.post(reverse("study-counts"), given).json()["note"]


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"poems": "99"}, "poems", f"{SOURCE} collection holds 3 human poems; ask for no more"),
        ({"poems": "4", "instrument": "pair-choice"}, "poems", "to the briefs of 3 human poems;"),
        ({"repeats": "4"}, "repeats", "given 3 texts of this study at most"),
        ({"repeats": "10", "twins": "last"}, "repeats", "given 9 texts of this study at most"),
        ({"repeats": "4", "instrument": "pair-choice"}, "repeats",
         "An expert is given 3 pairs of this study at most; ask for no more than 3 hidden"),
        ({"group_2_name": "Sonnets", "group_2_forms": "sonnet"}, "group_2_forms",
         "No group takes poems of ballad (en)"),
        ({"group_1_name": "All", "group_3_name": "Sonnets", "group_3_forms": "sonnet"},
         "group_3_forms", "No poem falls into Sonnets"),
    ],
)  # fmt: skip
def test_what_there_is_too_little_for_is_refused_beside_its_field_and_not_counted(
    client, changes, field, said
):
    given = filled(material(), **changes)
    form = PlanForm(given)
    assert set(form.errors) == {field}
    assert said in " ".join(form.errors[field])
    answer = client.post(reverse("study-counts"), given).json()
    assert said in answer["problem"]
    assert "items" not in answer
    assert client.post(reverse("new-study"), given).status_code == 422
    assert not Study.objects.exists()


def test_as_many_as_there_are_can_be_asked_for(client):
    shelf = material()
    for most in ({"poems": "3"}, {"repeats": "3"}, {"repeats": "9", "twins": "last"}):
        assert PlanForm(filled(shelf, **most)).is_valid()


@pytest.mark.parametrize(
    ("twins", "most", "said"), [("never", 1, "1 text"), ("last", 3, "3 texts")]
)
def test_of_hidden_repeats_there_are_no_more_than_the_smallest_group_has_texts(twins, most, said):
    shelf = material(poems=4)
    one = shelf.collection.poems.first()
    one.form = "limerick"
    one.save()
    groups = {"group_1_name": "Short", "group_1_forms": "limerick", "group_2_name": "Rest"}
    asked = filled(shelf, twins=twins, **groups)
    assert PlanForm(asked | {"repeats": str(most)}).is_valid()
    form = PlanForm(asked | {"repeats": str(most + 1)})
    assert f"An expert of group “Short” is given {said}" in " ".join(form.errors["repeats"])


def test_a_refused_page_says_so_in_its_title_and_its_summary_takes_the_focus(client):
    shelf = material()
    page = client.get(reverse("new-study")).content.decode()
    assert "<title>New study – Blindverse</title>" in page
    assert "autofocus" not in page
    wrong = filled(shelf, group_2_name="Sonnets", group_2_forms="sonnet", poems="99")
    page = client.post(reverse("new-study"), {**wrong, "title": ""}).content.decode()
    assert "<title>Not built: New study – Blindverse</title>" in page
    assert '<div class="notice error" role="alert" tabindex="-1" autofocus' in page
    assert '<a href="#id_title">Title</a>: This field is required.' in page
    page = client.post(reverse("new-study"), {**wrong, "poems": ""}).content.decode()
    assert '<a href="#id_group_2_forms">Group 2, Forms</a>: No group takes' in page
    counted = client.post(reverse("new-study"), {**wrong, "title": "", "count": "yes"})
    assert "<title>Not complete: New study – Blindverse</title>" in counted.content.decode()


def test_poems_that_are_gone_when_the_draft_is_built_are_refused_on_the_page(client, monkeypatch):
    def gone(*args, **kwargs):
        raise NothingToJudge("Zourceworth holds no poem; import some first.")

    monkeypatch.setattr(services, "build", gone)
    answer = client.post(reverse("new-study"), filled(material()))
    assert answer.status_code == 422
    assert '<a href="#id_collection">Human poems</a>: Zourceworth' in answer.content.decode()


def test_counts_say_what_is_still_missing(client):
    answer = client.post(reverse("study-counts"), {"batch_size": "5"}).json()
    assert "Human poems: This field is required." in answer["problem"]
    empty = material(poems=0)
    problem = client.post(reverse("study-counts"), filled(empty, runs=[], models=[])).json()
    assert "holds no poem" in problem["problem"]


def test_counts_say_of_a_wrong_choice_what_can_be_chosen_in_the_words_of_its_field(client):
    answer = client.post(reverse("study-counts"), filled(material(), margin="0.3")).json()
    assert answer["problem"] == (
        "Not to be counted yet. Within what distance of 0.5 is an AUC as good as chance? "
        "Ensure this value is less than or equal to 0.25."
    )


def test_without_a_script_a_button_counts_and_keeps_what_was_typed(client):
    answer = client.post(reverse("new-study"), filled(material(), count="yes", contact="Kim"))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert '<dd data-count="judgments">18</dd>' in page
    assert 'value="Kim"' in page
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("method", "instrument", "dealing"),
    [
        ("poemetric", "poemetric-survey", "batch"),
        ("proftap", "proftap-probability", "draw"),
        ("pairs", "pair-choice", "batch"),
        ("none", "poemetric-survey", "batch"),
    ],
)
def test_a_method_fills_the_page_at_first(client, method, instrument, dealing):
    page = client.get(reverse("new-study") + f"?method={method}").content.decode()
    assert f'<option value="{instrument}" selected>' in page
    assert f'<option value="{dealing}" selected>' in page


def test_the_page_holds_every_field_once(client):
    material()
    page = client.get(reverse("new-study")).content.decode()
    form = PlanForm()
    listed = [name for step in STEPS for name in step.fields]
    assert sorted(listed) == sorted(form.fields)
    assert set(ATTENTION_FIELDS) < set(listed)
    many = {"steps", "runs", "models"}  # a box for each choice
    for name in form.fields:
        shown = page.count(f'name="{name}"')
        assert shown >= 1 if name in many else shown == 1, name
