"""Instruments are read, written and kept in versions by programs."""

import pytest

from annotation.instruments.loading import published

pytestmark = pytest.mark.django_db


def _own():
    return {**published("proftap-probability"), "key": "my-own", "version": "1"}


def test_published_instruments_are_listed_and_shown(kim):
    listed = kim.get("instruments/", search="proftap-probability", language="en").json()
    assert [one["key"] for one in listed["results"]] == ["proftap-probability"]
    shown = kim.get("instruments/proftap-probability/").json()
    assert shown["definition"] == published("proftap-probability")
    assert (shown["own"], shown["versions"]) == (False, [])


def test_an_own_instrument_gets_versions_and_the_older_stay(kim):
    made = kim.post("instruments/", {"definition": _own()})
    assert made.status_code == 201, made.json()
    changed = {**_own(), "title": "Second"}
    second = kim.post("instruments/my-own/versions/", {"definition": changed, "seen": 1})
    assert second.json()["versions"] == [2, 1]
    assert kim.get("instruments/my-own/").json()["title"] == "Second"
    assert kim.get("instruments/my-own/", version=1).json()["title"] == _own()["title"]
    assert kim.get("instruments/my-own/", version=3).status_code == 404
    late = kim.post("instruments/my-own/versions/", {"definition": changed, "seen": 1})
    assert late.status_code == 409
    assert set(late.json()["errors"]) == {"seen"}


def test_what_is_wrong_with_an_instrument_is_named_by_its_place(kim):
    broken = _own()
    broken["questions"] = [{**broken["questions"][0], "kind": "riddle"}]
    refused = kim.post("instruments/", {"definition": broken})
    assert refused.status_code == 400
    assert any("questions[0]" in text for text in refused.json()["errors"]["definition"])


def test_a_key_that_is_taken_is_refused(kim):
    refused = kim.post("instruments/", {"definition": published("proftap-probability")})
    assert refused.status_code == 409
    assert set(refused.json()["errors"]) == {"definition"}


def test_a_published_instrument_gets_no_version(kim):
    body = {"definition": published("proftap-probability"), "seen": 0}
    assert kim.post("instruments/proftap-probability/versions/", body).status_code == 404
