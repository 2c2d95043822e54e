"""Finding lines of human poems in other texts, by the index of all collections."""

import json
import random
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backend.corpus import lines, services
from backend.corpus.lines import find_recited, find_recited_many
from backend.corpus.models import Collection, IndexedLine, Poem
from backend.poetics import overlap_keys
from backend.poetics.overlap import FOLDING, equal_runs, verse_lines
from backend.poetics.overlap_near import quotations

DEATH = """Because I could not stop for Death,
He kindly stopped for me;
The carriage held but just ourselves
And Immortality."""
SPIDER = """A noiseless patient spider,
I mark'd where on a little promontory it stood isolated,
Mark'd how to explore the vacant vast surrounding,
It launch'd forth filament, filament, filament, out of itself,
Ever unreeling them, ever tirelessly speeding them."""
QUIET_NIGHT = "牀前明月光，疑是地上霜。\n舉頭望明月，低頭思故鄉。"

pytestmark = pytest.mark.django_db


def shelve(*poems: tuple[str, str], collection: str = "Verse") -> list[Poem]:
    """Import poems by title and text."""
    rows = "".join(json.dumps({"title": t, "content": c, "author": "N"}) + "\n" for t, c in poems)
    services.import_poems(rows.encode(), file_name="poems.jsonl", collection=collection)
    return list(Poem.objects.filter(collection__name=collection).order_by("pk"))


def test_two_lines_of_an_imported_poem_are_found_with_both_texts() -> None:
    (poem,) = shelve(("Death", DEATH))
    text = """A Title

Some line of mine
because I could not STOP for death —
he kindly stopped, for me"""
    finding = find_recited(text)
    assert finding.is_recited
    assert finding.near == ()
    (match,) = finding.exact
    assert (match.poem_id, match.title, match.author, match.similarity) == (
        poem.pk,
        "Death",
        "N",
        1,
    )
    assert match.lines == (
        (3, 1, "because I could not STOP for death —", "Because I could not stop for Death,"),
        (4, 2, "he kindly stopped, for me", "He kindly stopped for me;"),
    )


def test_one_line_is_not_recited() -> None:
    shelve(("Death", DEATH))
    finding = find_recited("Because I could not stop for Death\nI walked a while beside the sea")
    assert finding == lines.Finding()


def test_lines_that_follow_on_one_another_in_no_poem_are_not_recited() -> None:
    shelve(("Death", DEATH), ("Spider", SPIDER))
    assert not find_recited("He kindly stopped for me\nA noiseless patient spider").is_recited


def test_every_collection_is_searched_and_one_poem_is_named_once() -> None:
    shelve(("Death", DEATH), collection="One")
    shelve(("Death", DEATH), collection="Two")
    other = shelve(("Death, again", DEATH), collection="Three")[0]
    found = [match.title for match in find_recited(DEATH).exact]
    assert found == ["Death", "Death, again"]
    assert find_recited(DEATH).exact[1].poem_id == other.pk


def test_poems_may_be_left_out() -> None:
    death, spider = shelve(("Death", DEATH), ("Spider", SPIDER))
    text = f"{DEATH}\n{SPIDER.replace('patient', 'silent')}"
    assert {match.poem_id for match in find_recited(text).exact} == {death.pk, spider.pk}
    finding = find_recited(text, ignore_poems=[death.pk])
    assert {match.poem_id for match in finding.exact + finding.near} == {spider.pk}


def test_simplified_verses_of_a_traditional_poem_are_found() -> None:
    shelve(("靜夜思", QUIET_NIGHT))
    (match,) = find_recited("秋风起兮白云飞\n床前明月光,疑是地上霜。").exact
    assert [(own, its) for own, its, *_ in match.lines] == [(2, 1), (3, 2)]
    assert not find_recited("床前明月光，春来江水绿。").is_recited


def test_an_edited_quotation_is_near_and_not_recited() -> None:
    (poem,) = shelve(("Spider", SPIDER))
    text = """I woke up late.
I saw where on a little promontory it sat isolated,
Saw how to explore the vacant, vast surroundings,
and slept again."""
    finding = find_recited(text)
    assert not finding.is_recited
    (match,) = finding.near
    assert match.poem_id == poem.pk
    assert [(own, its) for own, its, *_ in match.lines] == [(2, 2), (3, 3)]
    assert 0.8 < match.similarity < 1


def test_a_poem_that_is_recited_is_not_near_as_well() -> None:
    shelve(("Spider", SPIDER))
    text = SPIDER.replace("filament, filament", "a thread, a thread")
    assert len(find_recited(text).exact) == 1
    assert find_recited(text).near == ()


def test_refrains_of_a_text_are_no_match_and_neither_is_la_la_la() -> None:
    shelve(("Song", "la la la la la la la la la\n" * 4))
    text = (
        "la la la la la la la la la\n" * 4 + "The art of losing is mine\nand hard to master\n" * 3
    )
    assert find_recited(text) == lines.Finding()


def test_equal_keys_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap_keys, "_key", lambda text: 7)
    monkeypatch.setattr(lines, "COMMON", 10**6)
    shelve(("Death", DEATH), ("Spider", SPIDER))
    mine = "The cat sat on the mat today\nand looked at the silver moon\nbefore it went to bed"
    assert find_recited(mine) == lines.Finding()
    assert [match.title for match in find_recited(DEATH).exact] == ["Death"]


@pytest.mark.parametrize("text", ["", "\n\n", "***", "One line", "床"])
def test_a_text_without_two_lines_has_nothing(text: str) -> None:
    shelve(("Death", DEATH))
    assert find_recited(text) == lines.Finding()


def test_without_poems_or_texts_there_is_nothing() -> None:
    assert find_recited_many([]) == []
    assert find_recited(DEATH) == lines.Finding()


def test_many_texts_find_what_each_would_find_alone_in_as_many_queries_as_one() -> None:
    shelve(("Death", DEATH), ("Spider", SPIDER), ("靜夜思", QUIET_NIGHT))
    texts = [DEATH, "Nothing here\nat all, I say", SPIDER.replace("vast", "wide"), QUIET_NIGHT]
    with CaptureQueriesContext(
        connection,
    ) as alone:
        one = find_recited(texts[0])
    with CaptureQueriesContext(connection) as together:
        found = find_recited_many(texts * 20)
    assert len(together) == len(alone)
    assert found[0] == one
    assert found == [find_recited(text) for text in texts] * 20


def test_the_index_finds_what_comparing_with_every_poem_finds() -> None:
    random_ = random.Random(6)
    words = [
        "sea",
        "moon",
        "and the",
        "silver",
        "night",
        "I saw",
        "of a",
        "Oh",
        "la la la",
        "grass",
    ]

    def verse(length: int) -> str:
        return "\n".join(
            " ".join(random_.choices(words, k=random_.randint(1, 3))) for _ in range(length)
        )

    poems = shelve(*((f"{number}", verse(30)) for number in range(40)))
    for text in (verse(25) for _ in range(40)):
        expected = {
            poem.pk for poem in poems if equal_runs(verse_lines(text), verse_lines(poem.text))
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lines, "MOST_MATCHES", 100)
            assert {match.poem_id for match in find_recited(text).exact} == expected


def test_edited_quotations_are_nearly_always_found() -> None:
    """Of four lines with every seventh word another, in a text of one's own."""
    random_ = random.Random(7)
    services.load_well_known()
    poems = [poem for poem in Poem.objects.filter(language="en") if poem.text.count("\n") > 11]
    edited = []
    for poem in random_.choices(poems, k=150):
        own = verse_lines(poem.text)
        start = random_.randrange(len(own) - 4)
        words = [line.folded.split() for line in own[start : start + 4]]
        for line in words:
            for place, _ in enumerate(line):
                if random_.random() < 1 / 7:
                    line[place] = random_.choice(("velvet", "hollow", "beneath", "softly", "my"))
        text = "I begin\n" + "\n".join(" ".join(line) for line in words) + "\nand I end"
        if quotations(verse_lines(text), own) or equal_runs(verse_lines(text), own):
            edited.append((poem.pk, text))
    assert len(edited) > 120
    findings = find_recited_many([text for _, text in edited])
    found = [
        pk in {match.poem_id for match in finding.exact + finding.near}
        for (pk, _), finding in zip(edited, findings, strict=True)
    ]
    assert sum(found) / len(found) > 0.97


def test_poems_that_came_without_an_index_are_found_all_the_same() -> None:
    collection = Collection.objects.create(name="Old")
    Poem.objects.create(collection=collection, title="Death", text=DEATH, fingerprint="1")
    assert not IndexedLine.objects.exists()
    assert find_recited(DEATH).is_recited
    assert Poem.objects.get().folding == FOLDING


def test_poems_indexed_by_another_folding_are_indexed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    shelve(("Death", DEATH))
    kept = set(IndexedLine.objects.values_list("place", "pair", "opening", "middle", "closing"))
    IndexedLine.objects.update(pair=1, opening=2)
    assert lines.index_missing() == 0
    monkeypatch.setattr(lines, "FOLDING", FOLDING + 1)
    assert lines.index_missing() == 1
    assert lines.index_missing() == 0
    rows = IndexedLine.objects.values_list("place", "pair", "opening", "middle", "closing")
    assert set(rows) == kept


def test_an_index_is_made_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "POEMS_AT_ONCE", 2)
    shelve(*((f"{number}", DEATH.replace("Death", f"Death{number}")) for number in range(5)))
    before = set(IndexedLine.objects.values_list("poem_id", "place", "pair"))
    Poem.objects.update(folding=0)
    assert lines.index_missing() == 5
    assert set(IndexedLine.objects.values_list("poem_id", "place", "pair")) == before


def test_the_command_says_what_it_indexed() -> None:
    shelve(("Death", DEATH), ("Spider", SPIDER))
    Poem.objects.update(folding=0)
    said = StringIO()
    call_command("index_lines", stdout=said)
    call_command("index_lines", stdout=said)
    assert said.getvalue() == "2 poems indexed.\n0 poems indexed.\n"


def test_a_refused_import_leaves_no_line_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(services.ImportedFile.objects, "create", broken)
    with pytest.raises(RuntimeError):
        shelve(("Death", DEATH))
    assert not IndexedLine.objects.exists()
    assert not Poem.objects.exists()
