"""Codes of names: opaque, and the same however a name is written."""

import pytest

from annotation.studies.conflicts import codes, declared

# printf 'blake william' | openssl dgst -sha256 -hmac salt, and of 'blake': the first 16 digits
BLAKE = ["09d3f3459e8ed4fa", "0163e3ffba7fbe9a"]


@pytest.mark.parametrize(
    "name",
    ["William Blake", "Blake, William", "WILLIAM  BLAKE", " william blake. ", "Wílliam Bläke"],
)
def test_a_name_has_the_same_codes_however_it_is_written(name):
    assert codes("salt", name) == BLAKE


def test_a_surname_alone_has_the_second_code_only():
    assert codes("salt", "Blake") == BLAKE[1:]


@pytest.mark.parametrize("name", ["李白", "Sappho", "sappho"])
def test_a_name_of_one_word_has_one_code(name):
    assert len(codes("salt", name)) == 1


@pytest.mark.parametrize("name", ["", "  ", "—", "…, !"])
def test_what_holds_no_letter_has_no_code(name):
    assert codes("salt", name) == []


def test_codes_of_one_study_tell_nothing_in_another():
    assert set(codes("salt", "William Blake")).isdisjoint(codes("pepper", "William Blake"))


@pytest.mark.parametrize(
    "text",
    [
        "William Blake",
        "John Keats\r\nBlake\n",
        "blake, w.",
        "Keats, Blake, Shelley",
        "Jane Doe, William Blake",
        "李白、杜甫；William Blake",
        "W. Blake",
    ],
)
def test_a_declared_name_meets_the_poets_however_it_was_listed(text):
    assert declared("salt", text) & set(BLAKE)


@pytest.mark.parametrize(
    "text", ["", "\n\n", "John Keats\nPercy Bysshe Shelley", "杜甫", "Blakely"]
)
def test_other_names_do_not(text):
    assert declared("salt", text).isdisjoint(BLAKE)


def test_chinese_names_are_told_apart():
    assert declared("salt", "李白，杜甫").issuperset(codes("salt", "杜甫"))
    assert declared("salt", "李白").isdisjoint(codes("salt", "李贺"))
