"""The surface check of a study: what can be told of its texts, and beside them, without reading."""

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from annotation.studies.models import Assignment, Judge, Study
from backend.accounts.models import User
from backend.design.models import Placement, SurfaceCheck
from backend.design.states import DISCARDED, WrongState
from backend.design.surface import Surface, examine
from backend.design.surface_ids import IdCheck, IdRow, Trace, examine_ids


@dataclass(frozen=True)
class _Entry:
    """An item and what is sealed of it: of a pair, whether its second text is the human one."""

    key: int
    text: str
    second: str
    title: str
    brief: str
    language: str
    twin: str
    codes: int
    human: bool

    @property
    def texts(self) -> list[tuple[str, bool]]:
        """Each text that the item shows, and whether a human wrote it."""
        if not self.second:
            return [(self.text, self.human)]
        return [(self.text, not self.human), (self.second, self.human)]


def check(study: Study, *, by: User | None) -> SurfaceCheck:
    """Look at a study's texts, and at all that experts see beside them, and store what they tell.

    Before anything was given out, of the latter only the order of the items and their sizes;
    afterwards also what each assignment shows.

    Raises
    ------
    WrongState
        If the study is a draft that was discarded meanwhile.
    """
    entries = _entries(study)
    surface = _surface(entries, study.seed)
    traces = _beside(entries, shows_brief=study.instrument.shows_brief)
    if dealt := _dealt(study):
        traces += _given(entries, dealt)
    ids = examine_ids(traces)
    # Only now, since looking takes long. Whoever discards a draft holds it, too.
    Study.objects.hold(study.pk)
    if not Study.objects.filter(pk=study.pk).exists():
        raise WrongState(DISCARDED)
    return SurfaceCheck.objects.create(
        study=study,
        made_by=by,
        auc=_known(surface.auc),
        low=_known(surface.low),
        high=_known(surface.high),
        human=surface.human,
        machine=surface.machine,
        reason=surface.reason,
        giveaways=[asdict(one) for one in surface.giveaways],
        ids=[
            {
                "name": row.name,
                "auc": _known(row.auc),
                "low": _known(row.low),
                "high": _known(row.high),
                "n": row.n,
            }
            for row in ids.rows
        ],
        items_sha256=_digest(study),
    )


def latest(study: Study) -> SurfaceCheck | None:
    """Return the study's newest check, if there is one."""
    return SurfaceCheck.objects.filter(study=study).order_by("-pk").first()


def opened_on(study: Study) -> SurfaceCheck | None:
    """Return the check that the study was opened, or would be opened, on."""
    checks = SurfaceCheck.objects.filter(study=study)
    if study.opened_at:
        checks = checks.filter(made_at__lte=study.opened_at)
    return checks.order_by("-pk").first()


def stale(check: SurfaceCheck, study: Study) -> bool:
    """Whether the study shows anything else, or otherwise, than what was checked."""
    return check.items_sha256 != _digest(study)


def id_check(check: SurfaceCheck) -> IdCheck:
    """Return the stored rows with what follows from them: which tell, and which is the worst."""
    return IdCheck(
        tuple(
            IdRow(
                row["name"],
                _number(row["auc"]),
                _number(row["low"]),
                _number(row["high"]),
                row["n"],
            )
            for row in check.ids
        )
    )


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _number(stored: float | None) -> float:
    return math.nan if stored is None else stored


def _entries(study: Study) -> list[_Entry]:
    placed = Placement.objects.filter(item__study=study).select_related("item").order_by("item_id")
    return [
        _Entry(
            one.item_id,
            one.item.text,
            one.item.second,
            one.item.title,
            one.item.brief,
            one.item.language,
            one.item.twin,
            len(one.item.conflicts),
            one.human_second if one.item.second else one.generation_id is None,
        )
        for one in placed
    ]


def _surface(entries: Sequence[_Entry], seed: int) -> Surface:
    # A human poem stands in a pair with each model's; it is one text all the same. Its title is
    # shown with both kinds, and so is no feature of either.
    texts = dict.fromkeys(
        (text, human, entry.twin) for entry in entries for text, human in entry.texts
    )
    return examine(
        [text for text, _, _ in texts],
        [human for _, human, _ in texts],
        [twin for _, _, twin in texts],
        seed=seed,
    )


def _beside(entries: Sequence[_Entry], *, shows_brief: bool) -> list[Trace]:
    """Return what items show beside their texts, whether or not they were given out."""
    measures: dict[str, Callable[[_Entry], float]] = {
        "order of the items": lambda one: one.key,
        "size of what is sent beside the text": lambda one: _size(one, shows_brief=shows_brief),
        "length of the title": lambda one: len(one.title),
        "length of the brief": lambda one: len(one.brief),
        "number of conflict codes": lambda one: one.codes,
    }
    human, twins = [one.human for one in entries], [one.twin for one in entries]
    return [
        Trace(name, [float(measure(one)) for one in entries], human, twins)
        for name, measure in measures.items()
    ] + [
        Trace(
            f"language is {language}",
            [float(one.language == language) for one in entries],
            human,
            twins,
        )
        for language in _languages(entries)
    ]


def _languages(entries: Sequence[_Entry]) -> list[str]:
    found = sorted({one.language for one in entries})
    return found if len(found) > 1 else []


def _size(entry: _Entry, *, shows_brief: bool) -> int:
    sent = {
        "language": entry.language,
        "title": entry.title,
        "brief": entry.brief if shows_brief else "",
    }
    return len(json.dumps(sent).encode())


def _dealt(study: Study) -> list[Assignment]:
    return list(
        Assignment.objects.filter(
            judge__study=study, judge__kind=Judge.Kind.EXPERT, purpose=Assignment.Purpose.MAIN
        ).order_by("pk")
    )


def _given(entries: Sequence[_Entry], dealt: Sequence[Assignment]) -> list[Trace]:
    """Return what assignments show: of a pair, whether it tells that the human text is Text A."""
    by_key = {one.key: one for one in entries}
    shown = [(one, by_key[one.item_id]) for one in dealt if one.item_id in by_key]
    human = [entry.human == one.flipped if entry.second else entry.human for one, entry in shown]
    twins = [entry.twin for _, entry in shown]
    measures: dict[str, Callable[[Assignment], float]] = {
        "place in the expert's order": lambda one: one.position,
        "number of the set": lambda one: one.batch,
        "address of the page, as a number": lambda one: int.from_bytes(one.token[:6].encode()),
        "length of the address": lambda one: len(one.token),
        "time of giving": lambda one: one.given_at.timestamp(),
        "hour of the day of giving": lambda one: one.given_at.hour,
    }
    traces = [
        Trace(name, [float(measure(one)) for one, _ in shown], human, twins)
        for name, measure in measures.items()
    ]
    if any(entry.second for _, entry in shown):
        traces.append(_sides(human, twins))
    return traces


def _sides(human_first: Sequence[bool], twins: Sequence[str]) -> Trace:
    """Return for both texts of each pair given, the human one's first, on which side it stood."""
    sides = [float(not first) for first in human_first] + [float(first) for first in human_first]
    kinds = [True] * len(human_first) + [False] * len(human_first)
    return Trace("side of a text", sides, kinds, [*twins, *twins])


def _digest(study: Study) -> str:
    """Return the SHA-256 of all that items show, in their order; nothing of the key is in it."""
    items = study.items.order_by("pk").values_list("text", "second", "title", "brief", "language")
    content = json.dumps([*items], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
