"""What has to stand before a study is opened, and what had better."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from math import ceil

from django.conf import settings

from annotation.instruments.loading import InvalidInstrument, load
from annotation.studies.models import ConsentWording, Study
from backend.accounts.models import User
from backend.design import surface_check
from backend.design.models import SurfaceCheck
from backend.design.precision import has_auc
from backend.design.progress import corrected_since, unanswered, unseen_flags
from backend.design.sizes import experts_needed, lacking, texts_at_most, texts_each, unit

PREVIEW = "preview"
_MORE = "To know, build another draft with more poems."
A_DAY = 10  # texts that an expert may judge in a day where they come one at a time
_REACHABLE = re.compile(r"\S+@\S+\.\S+|\+?\d[\d /()-]{5,}|https?://\S+")


class State(StrEnum):
    """How a check stands. A stop keeps the study from being opened."""

    OK = "ok"
    WARN = "warn"
    STOP = "stop"


@dataclass(frozen=True)
class Check:
    """One line of the checklist.

    Attributes
    ----------
    key, text : str
    state : State
    remedy : str
        What to do; empty where nothing is wrong.
    link : str
        Name of the study's page where it is done; empty if there is none.
    """

    key: str
    text: str
    state: State = State.OK
    remedy: str = ""
    link: str = ""


def checklist(study: Study) -> list[Check]:
    """Return the checks of a draft, in the order in which a coordinator meets them."""
    parts: tuple[Callable[[Study], Iterator[Check]], ...] = (
        _items, _instrument, _kinds, _briefs, _answered, _replies, _consent, _contact, _panel,
        _repeats, _preview, _surface, _ids, _plan, _margin, _unsealers, _mail,
    )  # fmt: skip
    return list(chain.from_iterable(part(study) for part in parts))


def stops(checks: Sequence[Check]) -> list[Check]:
    """Return the checks that stand against opening."""
    return [one for one in checks if one.state == State.STOP]


def _items(study: Study) -> Iterator[Check]:
    if study.items.judged().exists():
        yield Check("items", f"There are {unit(study)}s to judge.")
    else:
        yield Check("items", "The study has no items.", State.STOP,
                    "Build another draft, with poems.")  # fmt: skip


def _instrument(study: Study) -> Iterator[Check]:
    try:
        load(study.instrument_data)
    except InvalidInstrument as error:
        yield Check("instrument", f"The instrument does not hold: {error}.", State.STOP,
                    "Mend it under Instruments, and build another draft.")  # fmt: skip
    else:
        yield Check("instrument", "The instrument is whole.")


def _kinds(study: Study) -> Iterator[Check]:
    if note := lacking(study):
        yield Check("kinds", note, State.WARN, "Build another draft, with both.")


def _briefs(study: Study) -> Iterator[Check]:
    shown = defaultdict(set)
    rows = study.items.judged().values_list("twin", "brief", "title")
    for twin, *beside in rows:
        shown[twin].add(tuple(beside))
    if unlike := sum(len(each) > 1 for each in shown.values()):
        yield Check("briefs", f"{unlike} briefs or titles are shown in two ways.",
                    State.STOP, "They tell who wrote which: build another draft.")  # fmt: skip
    else:
        yield Check("briefs", "Texts on one brief show the same brief and title.")


def _answered(study: Study) -> Iterator[Check]:
    if lone := unanswered(study):
        plural = "poem has" if lone == 1 else "poems have"
        yield Check("answered", f"{lone} human {plural} no machine poem on the same brief.",
                    State.WARN, "Tests on title-matched means leave such poems out.")  # fmt: skip


def _replies(study: Study) -> Iterator[Check]:
    if unseen := unseen_flags(study):
        poems = "machine poem was" if unseen == 1 else "machine poems were"
        yield Check("flags", f"{unseen} {poems} flagged, and nobody has looked since.",
                    State.WARN, "A researcher finds them in their run, under “to look at”: more "
                    "than a poem may stand in them, or lines of a known one.")  # fmt: skip
    if changed := corrected_since(study):
        poems = "machine poem was" if changed == 1 else "machine poems were"
        yield Check("corrected", f"{changed} {poems} corrected after this draft was built.",
                    State.WARN, "It has the earlier text: build another draft.")  # fmt: skip


def _consent(study: Study) -> Iterator[Check]:
    there = set(ConsentWording.objects.latest_of(study).values_list("language", flat=True))
    own = study.language.casefold().split("-")[0]
    if not there:
        yield Check("consent", "There is no consent text.", State.STOP,
                    "Build another draft, with one.", "study-consent")  # fmt: skip
    elif not any(one.casefold().split("-")[0] == own for one in there):
        yield Check("consent", f"The consent text is not in {study.language}.",
                    State.WARN, "Experts will read it in another.", "study-consent")  # fmt: skip
    else:
        yield Check("consent", "There is a consent text in the study's language.")


def _contact(study: Study) -> Iterator[Check]:
    if _REACHABLE.search(study.contact):
        yield Check("contact", "Experts are told whom to write to.")
    else:
        yield Check("contact", f"“{study.contact}” names no address that can be written to.",
                    State.WARN,
                    "Build another draft, with an e-mail address or a number.")  # fmt: skip


def _panel(study: Study) -> Iterator[Check]:
    needed, planned = experts_needed(study), _places(study)
    said = f"{needed} {'expert is' if needed == 1 else 'experts are'} needed at least"
    if planned >= needed:
        yield Check("panel", f"{said}; {planned} are invited or have a place by an open link.")
    else:
        why = _APART.format(unit=unit(study)) if study.twins == Study.Twins.NEVER else ""
        yield Check("panel", f"{said}; so far {planned} are invited or have a place.{why}",
                    State.WARN, "Invite more, now or once the study is open.", "panel")  # fmt: skip


_APART = (
    " With fewer, not every {unit} can have its K judges, since nobody is given two {unit}s on "
    "one brief."
)


def _places(study: Study) -> int:
    """Return how many experts are on the panel, or can put themselves on it."""
    links = study.open_links.filter(revoked_at=None)
    return study.judges.experts().count() + sum(link.quota - link.used for link in links)


def _repeats(study: Study) -> Iterator[Check]:
    """Say whether experts may be through before their repeats are due."""
    if not study.repeats:
        return
    in_sets = study.dealing == Study.Dealing.BATCH
    pace = study.batch_size if in_sets else A_DAY
    each = texts_each(study, max(_places(study), experts_needed(study)))
    days, takes = study.repeat_after_days, ceil(each / pace)
    most, group = texts_at_most(study)
    due, through = _number(days, "day"), _number(takes, "day")
    what, who = unit(study), f" of group “{group}”" if group else ""
    if study.repeats > most:
        yield Check("repeats", f"{study.repeats} hidden repeats for each expert are more than the "
                    f"{_number(most, what)} that an expert{who} is given at most.", State.WARN,
                    "Some will never be given: build another draft, with fewer.")  # fmt: skip
    elif takes > days:
        yield Check("repeats", f"Hidden repeats are due after {due}, while experts "
                    f"are still being given {what}s.")  # fmt: skip
    else:
        said = "a set" if in_sets else f"{A_DAY} {what}s"
        use = "smaller sets or fewer days" if in_sets else "fewer days"
        yield Check("repeats", f"At {said} a day, an expert can be through in {through}; "
                    f"hidden repeats are due after {due}.", State.WARN,
                    "Whoever does not come back by then is given none: build another draft with "
                    f"{use}, invite fewer experts, or ask them to come back.")  # fmt: skip


def _number(number: int, of: str) -> str:
    return f"{number} {of}{'' if number == 1 else 's'}"


def _preview(study: Study) -> Iterator[Check]:
    if study.design.previewed_at:
        yield Check(PREVIEW, "Somebody looked at what judges will see.", link="preview")
    else:
        yield Check(PREVIEW, "Nobody has looked at what judges will see.", State.STOP,
                    "Look at it.", "preview")  # fmt: skip


def above(check: SurfaceCheck, limit: float) -> bool:
    """Whether texts are told apart without reading more surely than the limit allows."""
    return check.auc is not None and check.auc > limit


def _figure(check: SurfaceCheck) -> str:
    if check.low is None or check.high is None:
        return f"AUC {check.auc:.2f}"
    return f"AUC {check.auc:.2f}, 95 % interval from {check.low:.2f} to {check.high:.2f}"


def _surface(study: Study) -> Iterator[Check]:
    check, design = surface_check.latest(study), study.design
    link = "surface"
    if check is None or surface_check.stale(check, study):
        yield Check("surface", "How well the surface tells the texts apart is not known.",
                    State.STOP, "Make the surface check.", link)  # fmt: skip
    elif check.auc is None:
        yield Check("surface", f"The surface check gives no figure: {check.reason}.",
                    State.WARN, _MORE, link)  # fmt: skip
    elif not above(check, design.surface_limit):
        yield Check("surface", f"The surface tells little: {_figure(check)}.", link=link)
    elif design.surface_reason:
        yield Check("surface", f"The surface tells the texts apart: {_figure(check)}.",
                    State.WARN, f"The reason given: {design.surface_reason}", link)  # fmt: skip
    else:
        yield Check("surface", f"The surface tells the texts apart: {_figure(check)}; the limit "
                    f"is {design.surface_limit:.2f}.", State.STOP,
                    "Build another draft with other steps or poems, or write down why it may be "
                    "opened.", link)  # fmt: skip


def _ids(study: Study) -> Iterator[Check]:
    check = surface_check.latest(study)
    if check is None:
        return
    found = surface_check.id_check(check)
    telling = ", ".join(row.name for row in found.telling)
    if found.worst is None:
        why = check.reason or "too few texts"
        yield Check("ids", "Whether order, sizes and what else is shown tell who wrote the texts "
                    f"is not known: {why}.", State.WARN, _MORE, "surface")  # fmt: skip
        return
    if not telling:
        yield Check("ids", "Order, sizes and what else is shown tell nothing.", link="surface")
        return
    reason = study.design.surface_reason
    yield Check("ids", f"What is shown beside the texts may tell who wrote them: {telling}.",
                State.WARN if reason else State.STOP,
                f"The reason given: {reason}" if reason
                else "Build another draft, or write down why it may be opened.",
                "surface")  # fmt: skip


def _plan(study: Study) -> Iterator[Check]:
    if study.design.analysis_plan.strip():
        yield Check("plan", "What is to be tested is written down.")
    else:
        yield Check("plan", "What is to be tested is not written down.", State.WARN,
                    "Build another draft, with a plan; it is fixed at opening.")  # fmt: skip


def _margin(study: Study) -> Iterator[Check]:
    if not has_auc(study):
        return
    if study.design.margin is not None:
        yield Check("margin", "An AUC is as good as chance within a margin of "
                    f"{study.design.margin:g} around 0.5.")  # fmt: skip
    else:
        yield Check("margin", "No margin is fixed within which an AUC is as good as chance.",
                    State.WARN, "Without one, no model can be found equivalent to humans: build "
                    "another draft, with one.")  # fmt: skip


def _unsealers(study: Study) -> Iterator[Check]:
    needed = study.design.unsealing_needs
    there = sum(user.researches for user in User.objects.filter(is_active=True))
    if needed > 1 and there < needed:
        yield Check("unsealers", f"The key asks for {needed} researchers; so far: {there}.",
                    State.STOP, "Let an admin add one: manage.py add_staff.")  # fmt: skip
    elif needed > 1:
        yield Check("unsealers", "There are enough researchers to unseal the key.")


def _mail(_: Study) -> Iterator[Check]:
    if settings.SENDS_MAIL:
        yield Check("mail", "Letters can be sent.")
    else:
        yield Check("mail", "Blindverse sends no mail.", State.WARN,
                    "Set BLINDVERSE_MAIL, or hand the links out yourself.")  # fmt: skip
