"""Results and data are handed to researchers once the key is unsealed, and the log to all staff."""

import csv
import io
import zipfile

import pytest

from annotation.activity.models import Entry
from annotation.activity.services import Kind, record
from backend.design.models import Design
from tests.backend.analytics.answering import reopened
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def test_results_are_the_same_in_json_and_in_csv(vera, unsealed):
    told = vera.get(f"studies/{unsealed.slug}/results/")
    assert told.status_code == 200
    tables = [table for section in told.json()["sections"] for table in section["tables"]]
    assert tables
    for table in tables:
        file = vera.get(f"studies/{unsealed.slug}/results/{table['key']}.csv")
        assert file["Content-Type"].startswith("text/csv")
        text = b"".join(file.streaming_content).decode()
        header, *rows = csv.reader(io.StringIO(text))
        assert header[:-1] == [column["key"] for column in table["columns"]]
        assert len(rows) == len(table["rows"])
        assert all(
            (cell["value"] is None) == (not shown)
            for row, line in zip(table["rows"], rows, strict=True)
            for cell, shown in zip(row, line, strict=False)
            if cell["value"] != ""
        )
    assert vera.get(f"studies/{unsealed.slug}/results/no-such.csv").status_code == 404


@pytest.mark.parametrize("path", ["results/", "results/means.csv", "export/"])
def test_nothing_is_told_while_the_key_is_sealed(vera, path):
    sealed = make_study(unblinded=False)
    refused = vera.get(f"studies/{sealed.slug}/{path}")
    assert refused.status_code == 409
    assert set(refused.json()) == {"detail"}


def test_an_export_is_the_package(vera, unsealed):
    fetched = vera.get(f"studies/{unsealed.slug}/export/")
    assert fetched["Content-Type"] == "application/zip"
    package = zipfile.ZipFile(io.BytesIO(b"".join(fetched.streaming_content)))
    assert {"README.md", "study.json"} <= set(package.namelist())


def test_who_read_results_and_fetched_data_is_noted(vera, unsealed):
    vera.get(f"studies/{unsealed.slug}/results/")
    vera.get(f"studies/{unsealed.slug}/export/")
    noted = Entry.objects.filter(kind__in=[Kind.RESULTS_VIEWED, Kind.EXPORT_MADE])
    assert {(entry.kind, entry.actor, entry.study) for entry in noted} == {
        ("results.viewed", "vera", unsealed.slug),
        ("export.made", "vera", unsealed.slug),
    }


def test_the_log_is_read_newest_first_and_filtered(kim):
    record(Kind.STUDY_OPENED, study="one", actor="vera", fingerprint="abc")
    record(Kind.STUDY_CLOSED, study="one", actor="kim")
    record(Kind.STUDY_OPENED, study="two", actor="vera")
    told = kim.get("log/", study="one").json()["results"]
    assert [entry["kind"] for entry in told] == ["study.closed", "study.opened"]
    assert told[1]["details"] == {"fingerprint": "abc"}
    assert told[0]["seal"] is None
    assert kim.get("log/", kind="study.opened", actor="vera").json()["count"] == 2
    assert kim.get("log/", until="2001-01-01T00:00:00Z").json()["count"] == 0
    assert set(kim.get("log/", since="yesterday").json()["errors"]) == {"since"}


def test_a_look_that_somebody_was_quicker_with_is_not_counted_twice(vera):
    study = reopened(make_study(unblinded=False))
    Design.objects.filter(study=study).update(interim_looks=True)
    path, why = f"studies/{study.slug}/looks/", {"reason": "A check"}
    assert vera.post(path, {**why, "seen": 0}).status_code == 201
    refused = vera.post(path, {**why, "seen": 0})
    assert refused.status_code == 409
    assert "Look 1, by vera, was recorded already" in refused.json()["detail"]
    assert vera.post(path, {**why, "seen": 1}).status_code == 201
    assert vera.post(path, why).status_code == 201
    assert set(vera.post(path, {**why, "seen": -1}).json()["errors"]) == {"seen"}
    assert vera.get(path).json()["count"] == 3
