"""Poems with their authors are read and imported by programs of researchers alone."""

import pytest

from backend.corpus.models import Collection, Poem
from tests.backend.design.material import AUTHOR, material

pytestmark = pytest.mark.django_db

VERSE = "  Two blanks first,\n\n\tthen a tab.  \n"


def test_collections_are_counted_and_poems_filtered(vera):
    made = material(poems=2)
    (shown,) = vera.get("collections/").json()["results"]
    assert (shown["id"], shown["poems"]) == (made.collection.pk, 2)
    assert vera.get(f"collections/{made.collection.pk}/").json()["name"] == made.collection.name
    found = vera.get(f"collections/{made.collection.pk}/poems/", search=f"{AUTHOR} 1").json()
    (poem,) = found["results"]
    assert poem["author"] == f"{AUTHOR} 1"
    assert vera.get(f"poems/{poem['id']}/").json() == poem
    for query in ({"form": "sonnet"}, {"language": "zh"}):
        assert vera.get(f"collections/{made.collection.pk}/poems/", **query).json()["count"] == 0


@pytest.mark.parametrize(
    "path", ["collections/", "language-models/", "runs/", "collections/1/poems/", "poems/1/"]
)
def test_a_coordinator_reads_nothing_that_names_authors(kim, path):
    material()
    assert kim.get(path).status_code == 403


def test_rows_are_imported_letter_by_letter(vera):
    body = {"collection": "New", "rows": [{"title": "One", "text": VERSE, "author": "A. Poet"}]}
    made = vera.post("collections/import/", body)
    assert made.status_code == 201
    assert (made.json()["added"], made.json()["known"]) == (1, 0)
    poem = Poem.objects.get()
    assert (poem.text, poem.author) == (VERSE, "A. Poet")
    assert poem.collection.files.get().imported_by.username == "vera"
    again = vera.post("collections/import/", body).json()
    assert (again["added"], again["known"]) == (0, 1)


def test_every_bad_row_is_named_and_nothing_is_imported(vera):
    rows = [
        {"title": "Good", "text": "A line."},
        {"title": "", "text": "No title."},
        {"title": "Lost", "text": "Where?", "language": "not a tag"},
    ]
    refused = vera.post("collections/import/", {"collection": "New", "rows": rows})
    assert refused.status_code == 400
    named = [(row["row"], row["field"]) for row in refused.json()["rows"]]
    assert named == [(2, "title"), (3, "language")]
    assert all(row["reason"] and row["remedy"] for row in refused.json()["rows"])
    assert not Collection.objects.exists()


def test_a_row_of_the_wrong_kind_is_named_too(vera):
    rows = [{"title": "Good", "text": "A line."}, {"title": ["a list"], "text": "B"}]
    refused = vera.post("collections/import/", {"collection": "New", "rows": rows})
    assert refused.status_code == 400
    assert [(row["row"], row["field"]) for row in refused.json()["rows"]] == [(2, "title")]


def test_a_run_is_started_and_followed(vera, woken):
    made = material()
    models = vera.get("language-models/", reach="built-in").json()["results"]
    body = {
        "name": "By program",
        "collection": made.collection.pk,
        "template": "poemetric",
        "models": [models[0]["id"]],
        "seed": 4,
        "number": 2,
    }
    started = vera.post("runs/", body)
    assert started.status_code == 201, started.json()
    run = started.json()["run"]
    assert (run["name"], run["started_by"]) == ("By program", "vera")
    progress = vera.get(f"runs/{run['id']}/progress/").json()
    assert (progress["overall"]["total"], progress["overall"]["waiting"]) == (2, 2)
    assert vera.get(f"runs/{run['id']}/poems/", status="queued").json()["count"] == 2
    assert vera.post(f"runs/{run['id']}/retry/").json() == {"queued": 0}
    taken = vera.post("runs/", body)
    assert taken.status_code == 409
    assert set(taken.json()["errors"]) == {"name"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"models": [999_999]}, "models"), ({"template": "none"}, "template"), ({"seed": -1}, "seed")],
)
def test_a_run_that_cannot_be_started_names_the_field(vera, changes, field):
    made = material()
    body = {"name": "n", "collection": made.collection.pk, "template": "poemetric", "models": [1]}
    refused = vera.post("runs/", {**body, **changes})
    assert refused.status_code == 400
    assert field in refused.json()["errors"]
