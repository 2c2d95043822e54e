"""Of two texts compared, a package tells which was whose, how they stood, and what was chosen."""

import pytest

from annotation.studies.models import Item
from tests.backend.analytics.answering import pair_study
from tests.backend.exports.opened import packed, table
from tests.studies import make_study

pytestmark = pytest.mark.django_db

HUMAN, MACHINE = "Dawn,\n  by human", "Dawn,\n  by Alpha"


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("flipped", [False, True])
def test_who_is_who_can_be_told_from_the_files(second: bool, flipped: bool) -> None:
    study = pair_study(
        lambda *_: {"human_text": 1, "human_text_comment": "It breathes."},
        titles=["Dawn"],
        human_second=lambda *_: second,
        flipped=lambda *_: flipped,
    )
    package = packed(study)
    (item,) = table(package, "items.csv")
    texts = {"first": item["text_shown"], "second": item["second_shown"]}
    assert texts.pop(item["human_text"]) == HUMAN
    assert list(texts.values()) == [MACHINE]
    (given,) = table(package, "assignments.csv")
    assert given["side"] == ("BA" if flipped else "AB")
    choice, comment = table(package, "ratings.csv")
    # What stood as A, read from the other files alone.
    stood_first = item["text_shown"] if given["side"] == "AB" else item["second_shown"]
    assert choice["value"] == "1"
    assert choice["chose_human"] == ("yes" if stood_first == HUMAN else "no")
    assert (choice["author_kind"], choice["author"]) == ("pair", "Alpha")
    assert (comment["chose_human"], comment["text"]) == ("", "It breathes.")


@pytest.mark.parametrize("second", [False, True])
def test_both_texts_are_there_as_they_were_written(second: bool) -> None:
    study = pair_study(lambda *_: None, titles=["Dawn"], human_second=lambda *_: second)
    package = packed(study)
    poems = {row["author_kind"]: row for row in table(package, "poems.csv")}
    assert (poems["human"]["author"], poems["human"]["text"]) == ("The poet of Dawn", HUMAN)
    assert (poems["model"]["author"], poems["model"]["text"]) == ("Alpha", MACHINE)
    assert {kind: row["place"] for kind, row in poems.items()} == (
        {"human": "second", "model": "first"} if second else {"human": "first", "model": "second"}
    )
    for row in poems.values():
        assert package.read(row["file"]).decode() == row["text"]
    assert {name for name in package.namelist() if name.startswith("poems/")} == {
        "poems/00001-first.txt", "poems/00001-second.txt",
    }  # fmt: skip


def test_a_text_alone_has_no_side() -> None:
    study = make_study(titles=["Dawn"], models=["Alpha"], judges=["Anna"])
    assert not Item.objects.exclude(second="").exists()
    package = packed(study)
    assert {row["side"] for row in table(package, "assignments.csv")} == {""}
    assert {row["place"] for row in table(package, "poems.csv")} == {""}
    assert {(row["second_shown"], row["human_text"]) for row in table(package, "items.csv")} == {
        ("", "")
    }
