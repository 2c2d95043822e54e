"""Studies are listed, built, looked at, opened, closed, unsealed and discarded by programs."""

import pytest

from annotation.studies.models import Study
from backend.design.models import Design
from tests.backend.api.calling import program
from tests.backend.design.material import AUTHOR, MODEL, SOURCE, material
from tests.studies import make_study, researcher

pytestmark = pytest.mark.django_db


def _plan(made, **changes):
    return {
        "title": "Voices",
        "contact": "vera@university.example",
        "instrument": "proftap-probability",
        "collection": made.collection.pk,
        "runs": [made.run.pk],
        "models": [model.pk for model in made.models],
        "judges_per_item": 2,
        "seed": 7,
        **changes,
    }


def _built(kim, **changes):
    return kim.post("studies/", _plan(material(), **changes))


def test_studies_are_listed_filtered_and_ordered(kim, study):
    make_study(slug="zebra")
    every = kim.get("studies/").json()
    assert (every["count"], every["next"]) == (2, None)
    assert [one["slug"] for one in kim.get("studies/", state="open").json()["results"]] == [
        study.slug
    ]
    assert [one["slug"] for one in kim.get("studies/", search="ZEBRA").json()["results"]] == [
        "zebra"
    ]
    ordered = kim.get("studies/", ordering="-title").json()["results"]
    titles = [one["title"] for one in ordered]
    assert titles == sorted(titles, reverse=True)


def test_a_long_list_comes_in_pages_with_a_cap(kim, study):
    make_study(slug="zebra")
    first = kim.get("studies/", page_size=1).json()
    assert (first["count"], len(first["results"])) == (2, 1)
    assert "page=2" in first["next"]
    refused = kim.get("studies/", page_size=201)
    assert refused.status_code == 400
    assert set(refused.json()["errors"]) == {"page_size"}
    assert kim.get("studies/", page=9).status_code == 404


@pytest.mark.parametrize(
    ("query", "field"),
    [({"state": "ajar"}, "state"), ({"stat": "open"}, "stat"), ({"ordering": "seed"}, "ordering")],
)
def test_a_filter_that_there_is_none_of_is_refused_by_name(kim, query, field):
    refused = kim.get("studies/", **query)
    assert refused.status_code == 400
    assert set(refused.json()["errors"]) == {field}


def test_a_study_is_built_from_a_plan_as_on_the_page(kim):
    built = _built(kim)
    assert built.status_code == 201, built.json()
    shown = built.json()
    assert (shown["state"], shown["judges_per_item"], shown["fingerprint"]) == ("draft", 2, "")
    assert shown["asks_background"] is True  # as the page has it ticked at first
    assert Study.objects.get(slug=shown["slug"]).design.created_by.username == "kim"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"collection": 999_999}, "collection"),
        ({"instrument": "no-such"}, "instrument"),
        ({"judges_per_item": 0}, "judges_per_item"),
        ({"title": "x" * 121}, "title"),
        ({"models": []}, "non_field_errors"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused_and_names_the_field(kim, changes, field):
    refused = _built(kim, **changes)
    assert refused.status_code == 400
    assert field in refused.json()["errors"]
    assert not Study.objects.exists()


TEST = {"text": "Choose 5.", "expected": {"probability": "5"}}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"groups": [{"name": "a", "forms": ["ode", ""]}], "attention": [{"text": "x"}]},
         {"groups.0.forms.1": "may not be blank", "attention.0.expected": "required"}),
        ({"attention": [{"text": "x", "expected": {"probability": None}}]},
         {"attention.0.expected.probability": "may not be null"}),
        ({"groups": [{"name": "", "judges_per_item": 0}]},
         {"groups.0.name": "may not be blank", "groups.0.judges_per_item": "greater than"}),
        ({"groups": ["poets"]}, {"groups.0": "Expected a dictionary"}),
        ({"runs": ["x"]}, {"runs.0": "valid integer"}),
        ({"groups": [{"name": "a"}, {"name": "A"}]}, {"groups.1.name": "Another group"}),
        ({"groups": [{"name": "a", "forms": ["x" * 501]}]}, {"groups.0.forms": "at most 500"}),
        ({"attention": [{"text": "x", "expected": {"nope": "5"}}], "attention_every": 3},
         {"attention.0.expected": "“nope” is no question"}),
        ({"attention": [{"text": " ", "expected": {"probability": "5"}}], "attention_every": 3},
         {"attention.0.text": "Write the text"}),
        ({"attention": [TEST | {"second": "y"}], "attention_every": 3, "failed_attention": 1},
         {"attention.0.second": "leave the second out"}),
        ({"attention": [TEST | {"text": "x\n---\ny"}], "attention_every": 3},
         {"attention.0.text": "leave out the line of ---"}),
        ({"attention": [TEST], "attention_every": 3, "instrument": "pair-choice"},
         {"attention.0.second": "send the second, too"}),
        ({"attention_every": 3}, {"attention_every": "write at least one"}),
        ({"groups": [{"name": "a", "forms": ["ballad"]}, {"name": "b", "forms": ["ode"]}]},
         {"groups.1.forms": "No poem falls into b"}),
        ({"groups": [{"name": "a", "forms": ["ode"]}]}, {"groups.0.forms": "No group takes"}),
        ({"poems": 99}, {"poems": "ask for no more than"}),
        ({"repeats": 50}, {"repeats": "ask for no more than"}),
    ],
)  # fmt: skip
def test_what_is_wrong_within_a_list_is_told_with_the_path_that_was_sent(kim, changes, told):
    refused = _built(kim, **changes)
    assert refused.status_code == 400
    errors = refused.json()["errors"]
    assert set(errors) == set(told)
    assert all(words in " ".join(errors[path]) for path, words in told.items())
    rows = refused.json().get("rows", [])
    paths = [f"{row['list']}.{row['row'] - 1}.{row['field']}".rstrip(".") for row in rows]
    assert sorted(paths) == sorted(path for path in told if "." in path)


def test_what_a_study_can_be_built_from_is_named_to_coordinators_without_a_poem(kim):
    made = material()
    told = kim.get("choices/").json()
    assert told["collections"] == [{"id": made.collection.pk, "name": made.collection.name}]
    assert "proftap-probability" in {one["key"] for one in told["instruments"]}
    assert AUTHOR not in str(told)


def test_items_are_shown_as_judges_see_them_and_no_more(kim):
    slug = _built(kim).json()["slug"]
    told = kim.get(f"studies/{slug}/items/").json()
    assert told["count"] == 9
    for item in told["results"]:
        assert set(item) == {"text", "second", "title", "brief", "language"}
    for secret in (AUTHOR, SOURCE, MODEL):
        assert secret not in str(told)


def test_a_study_is_opened_closed_and_unsealed_in_that_order(vera):
    slug = _built(vera).json()["slug"]
    early = vera.post(f"studies/{slug}/close/")
    assert early.status_code == 409
    assert "open study" in early.json()["detail"]
    opened = vera.post(f"studies/{slug}/open/", {"without_preview": True})
    assert opened.status_code == 200, opened.json()
    assert len(opened.json()["fingerprint"]) == 64
    assert vera.post(f"studies/{slug}/open/").status_code == 409
    assert vera.post(f"studies/{slug}/unsealing/", {}).status_code == 409
    assert vera.post(f"studies/{slug}/close/").json()["state"] == "closed"
    assert vera.post(f"studies/{slug}/unsealing/", {"reason": "done"}).json()["unsealed_at"]


def test_a_coordinator_unseals_nothing(kim):
    study = make_study(unblinded=False)
    assert kim.post(f"studies/{study.slug}/unsealing/", {}).status_code == 403
    study.design.refresh_from_db()
    assert study.design.unblinded_at is None


def test_a_draft_is_discarded_and_an_open_study_is_not(kim, study):
    slug = _built(kim).json()["slug"]
    assert kim.delete(f"studies/{slug}/").status_code == 204
    assert kim.get(f"studies/{slug}/").status_code == 404
    assert kim.delete(f"studies/{study.slug}/").status_code == 409


def test_progress_tells_places_and_answers(kim):
    study = make_study(titles=["Dawn"], models=["Alpha"], judges=["Anna", "Ben"])
    told = kim.get(f"studies/{study.slug}/progress/").json()
    assert (told["items"], told["places"], told["answered"], told["experts"]) == (2, 4, 4, 2)


def test_a_new_consent_text_gets_the_next_version(kim, study):
    before = kim.get(f"studies/{study.slug}/consent/").json()["results"][0]["version"]
    made = kim.post(f"studies/{study.slug}/consent/", {"texts": {"en": "New\r\nwords."}})
    assert (made.status_code, made.json()["version"]) == (201, before + 1)
    newest = kim.get(f"studies/{study.slug}/consent/").json()["results"][0]
    assert newest["text"] == "New\nwords."
    same = kim.post(f"studies/{study.slug}/consent/", {"texts": {"en": "New\nwords."}})
    assert same.status_code == 400
    assert set(same.json()["errors"]) == {"texts"}


def test_an_unknown_address_is_told_in_json(kim):
    lost = kim.get("no/such/thing")
    assert (lost.status_code, set(lost.json())) == (404, {"detail"})


def test_a_body_that_is_no_json_is_refused_in_the_one_shape(kim):
    refused = kim._client.generic("POST", "/api/v1/studies/", "{", content_type="application/json")
    assert (refused.status_code, set(refused.json())) == (400, {"detail"})
    form = kim._client.post("/api/v1/studies/", {"title": "x"})
    assert (form.status_code, set(form.json())) == (415, {"detail"})
    deep = kim._client.generic(
        "POST", "/api/v1/studies/", "[" * 100_000, content_type="application/json"
    )
    assert deep.status_code == 400


def test_a_body_larger_than_the_site_takes_is_refused(kim, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 50
    refused = kim.post("studies/", {"title": "x" * 100})
    assert (refused.status_code, set(refused.json())) == (413, {"detail"})


def test_a_key_that_takes_two_people_waits_for_the_second(vera):
    study = make_study(unblinded=False)
    Design.objects.filter(study=study).update(unsealing_needs=2)
    rita = program(researcher("rita"))
    path = f"studies/{study.slug}/unsealing/"
    first = vera.post(path, {"reason": "all is in"}).json()
    assert (first["unsealed_at"], first["needed"]) == (None, 2)
    assert [(one["by"], one["reason"]) for one in first["asked"]] == [("vera", "all is in")]
    assert vera.get(f"studies/{study.slug}/results/").status_code == 409
    assert vera.delete(path).json()["asked"] == []
    assert vera.delete(path).status_code == 409
    vera.post(path, {})
    assert rita.post(path, {}).json()["unsealed_at"]
