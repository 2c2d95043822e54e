"""``items.csv`` and ``poems.csv``: the poems as they were shown, and as they were written."""

import json
from collections.abc import Iterator, Sequence

from annotation.studies.models import Item
from backend.analytics.frames import FIRST, SECOND, Placed
from backend.corpus.models import Poem
from backend.corpus.spreadsheets import Value
from backend.design.models import AttentionCheck, Placement
from backend.exports.ratings import CHUNK, NO_GROUP
from backend.exports.sources import Sources
from backend.exports.variables import DECIMAL, TEXT, WHOLE, YES_NO, DataFile, Variable, yes
from backend.generation.models import Generation

_HUMAN_ONLY = "written by a language model, or not recorded"
_MODEL_ONLY = "written by a human, or not sent"


def _items(sources: Sources) -> Iterator[Sequence[Value]]:
    shown = Item.objects.filter(study=sources.study).order_by("pk")
    checks = AttentionCheck.objects.filter(item__study=sources.study)
    expected = dict(checks.values_list("item_id", "expected"))
    for item in shown.iterator(CHUNK):
        yield (
            sources.item_number[item.pk],
            item.language,
            item.title,
            item.brief,
            item.text,
            item.second,
            sources.placed[item.pk].human_text,
            item.stratum,
            item.twin,
            item.places_taken,
            item.places,
            sources.group.get(item.pk, ""),
            yes(item.attention),
            json.dumps(expected[item.pk], ensure_ascii=False, sort_keys=True)
            if item.pk in expected
            else "",
        )


ITEMS = DataFile(
    "items.csv",
    "The poems exactly as judges saw them.",
    (
        Variable("item", WHOLE, "Number of the item within this package."),
        Variable("language", TEXT, "Language of the poem (a BCP 47 tag)."),
        Variable("title_shown", TEXT, "Title above the poem.", empty="no title was shown"),
        Variable("brief_shown", TEXT, "Brief beside the poem.", empty="no brief was shown"),
        Variable("text_shown", TEXT, "The poem, line for line, as it was displayed."),
        Variable(
            "second_shown",
            TEXT,
            "The other text, where two were compared; assignments.csv tells which stood first.",
            empty="one text alone",
        ),
        Variable(
            "human_text",
            TEXT,
            "Which of two texts a human wrote: first = text_shown, second = second_shown.",
            allowed="first; second",
            empty="one text alone",
        ),
        Variable("stratum", TEXT, "Opaque code: items that share it were spread over batches."),
        Variable("twin", TEXT, "Opaque code: items that share it were kept apart for one judge."),
        Variable("places_taken", WHOLE, "How many of its places were taken when the study ended."),
        Variable("places", WHOLE, "K: how many judges it was to have."),
        Variable("group", TEXT, "Group of items that a panel of their own judged.", empty=NO_GROUP),
        Variable("attention", YES_NO, "It tests attention, in no result.", allowed="yes; no"),
        Variable(
            "expected",
            "JSON",
            "What an attentive judge answers to it, by question key.",
            empty="no test of attention",
        ),
    ),
    _items,
)


def originals(sources: Sources) -> Iterator[tuple[str, str]]:
    """Yield the file name and the text of every poem, exactly as it was imported or generated."""
    placements = Placement.objects.filter(item__study=sources.study).order_by("item_id")
    texts = placements.values_list("item_id", "poem__text", "generation__text")
    for item, human, machine in texts.iterator(CHUNK):
        for text, place in zip((human, machine), _places(sources.placed[item]), strict=True):
            if text is not None:
                yield sources.poem_file(item, place), text


def _places(placed: Placed) -> tuple[str, str]:
    """Return which text of the item is the human one and which the machine's, if it has two."""
    if not placed.pair:
        return "", ""
    return placed.human_text, SECOND if placed.human_text == FIRST else FIRST


def _poems(sources: Sources) -> Iterator[Sequence[Value]]:
    placements = (
        Placement.objects.filter(item__study=sources.study)
        .order_by("item_id")
        .select_related("poem", "generation__brief", "generation__run", "generation__model")
    )
    for placement in placements.iterator(CHUNK):
        written = (placement.poem, placement.generation)
        places = _places(sources.placed[placement.item_id])
        for one, place in zip(written, places, strict=True):
            if one is not None:
                yield _poem(sources, placement.item_id, one, place)


def _poem(sources: Sources, item: int, written: Poem | Generation, place: str) -> tuple[Value, ...]:
    placed, human = sources.placed[item], isinstance(written, Poem)
    return (
        sources.item_number[item],
        sources.poem_file(item, place),
        place,
        "human" if human else "model",
        placed.poet if human else placed.model,
        sources.title_number[placed.title_key],
        placed.title,
        placed.form,
        *_human(written if isinstance(written, Poem) else None),
        *_machine(written if isinstance(written, Generation) else None),
        written.text,
    )


def _human(poem: Poem | None) -> tuple[Value, ...]:
    if poem is None:
        return ("",) * 8
    return (
        poem.source, poem.edition, poem.url, poem.year,
        poem.metre, poem.rhyme, poem.theme, poem.imagery,
    )  # fmt: skip


def _machine(generation: Generation | None) -> tuple[Value, ...]:
    if generation is None:
        return ("",) * 10
    run = generation.run
    return (
        generation.title,
        generation.model.model_id,
        run.name,
        run.template,
        run.temperature,
        run.max_tokens,
        run.seed,
        generation.sample,
        generation.brief.text,
        json.dumps(generation.trimmed, ensure_ascii=False, sort_keys=True),
    )


POEMS = DataFile(
    "poems.csv",
    "The poems as they were imported or generated, with their origin.",
    (
        Variable("item", WHOLE, "Number of the item that showed this poem; see items.csv."),
        Variable("file", TEXT, "The file that holds the same text, byte for byte."),
        Variable(
            "place",
            TEXT,
            "Which text of the item it is, where two were compared; see items.csv.",
            allowed="first; second",
            empty="one text alone",
        ),
        Variable("author_kind", TEXT, "Who wrote the poem.", allowed="human; model"),
        Variable("author", TEXT, "The poet's name, or the language model's.", empty="not known"),
        Variable("title_key", WHOLE, "See ratings.csv.", empty="a brief of no human poem"),
        Variable("poem_title", TEXT, "See ratings.csv."),
        Variable("form", TEXT, "See ratings.csv.", empty="not recorded"),
        Variable("source", TEXT, "Where the poem was taken from.", empty=_HUMAN_ONLY),
        Variable("edition", TEXT, "Edition.", empty=_HUMAN_ONLY),
        Variable("url", TEXT, "Address of the source.", empty=_HUMAN_ONLY),
        Variable("year", TEXT, "Year as it was recorded.", empty=_HUMAN_ONLY),
        Variable("metre", TEXT, "Metre as it was recorded.", empty=_HUMAN_ONLY),
        Variable("rhyme", TEXT, "Rhyme as it was recorded.", empty=_HUMAN_ONLY),
        Variable("theme", TEXT, "Theme as it was recorded.", empty=_HUMAN_ONLY),
        Variable("imagery", TEXT, "Imagery as it was recorded.", empty=_HUMAN_ONLY),
        Variable("own_title", TEXT, "Title that the language model gave.", empty=_MODEL_ONLY),
        Variable("model_id", TEXT, "Name by which the model was called.", empty=_MODEL_ONLY),
        Variable("run", TEXT, "Run in which it was generated or imported.", empty=_MODEL_ONLY),
        Variable("template", TEXT, "Template of the brief.", empty=_MODEL_ONLY),
        Variable("temperature", DECIMAL, "Sampling temperature.", empty=_MODEL_ONLY),
        Variable("max_tokens", WHOLE, "Longest reply allowed.", "tokens", empty=_MODEL_ONLY),
        Variable("seed", WHOLE, "Seed of the run.", empty=_MODEL_ONLY),
        Variable("sample", WHOLE, "Which of several poems to one brief.", empty=_MODEL_ONLY),
        Variable("brief", TEXT, "The brief that the model was given.", empty=_MODEL_ONLY),
        Variable("trimmed", "JSON", "What was cut from the reply, and why.", empty=_MODEL_ONLY),
        Variable("text", TEXT, "The poem, line for line."),
    ),
    _poems,
)
