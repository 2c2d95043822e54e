"""The activity log of one study, in plain words."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django import forms
from django.db.models import QuerySet

from annotation.activity.models import Entry, Seal
from annotation.activity.services import Kind

NOBODY = "(nobody)"  # no name of an account has parentheses


class Words(NamedTuple):
    """How a kind is called in a list, and told of with and without somebody's name."""

    label: str
    by_somebody: str
    by_itself: str


WORDS = {
    Kind.LOG_BEGAN: Words("beginning of the log", "{} began the log.", "The log began."),
    Kind.JUDGMENT_SUBMITTED: Words(
        "answers", "{} sent answers to one item.", "Answers to one item came in."
    ),
    Kind.JUDGMENT_EDITED: Words(
        "changed answers", "{} changed answers to one item.", "Answers to one item were changed."
    ),
    Kind.LEASE_GIVEN: Words("items given", "{} gave items to a judge.", "Items went to a judge."),
    Kind.LEASE_RETURNED: Words(
        "items given back", "{} gave items back unanswered.", "Items were given back unanswered."
    ),
    Kind.LEASE_EXPIRED: Words(
        "leases that ran out", "{} let a lease end.", "A lease ran out, and its items went back."
    ),
    Kind.JUDGE_INVITED: Words("invitations", "{} invited a judge.", "A judge joined the panel."),
    Kind.JUDGE_GROUPED: Words(
        "changed groups", "{} changed a judge's group.", "A judge's group was changed."
    ),
    Kind.JUDGE_PAUSED: Words("pauses", "{} let a judge pause.", "A judge paused."),
    Kind.JUDGE_RESUMED: Words(
        "ends of pauses", "{} let a judge go on.", "A judge went on after a pause or a stop."
    ),
    Kind.JUDGE_STOPPED: Words(
        "stops",
        "{} let a judge stop, with answers kept.",
        "A judge stopped and let the answers be kept.",
    ),
    Kind.JUDGE_REPLACED: Words(
        "judges replaced",
        "{} put somebody in a judge's place.",
        "Somebody was put in a judge's place.",
    ),
    Kind.JUDGE_WITHDRAWN: Words(
        "judges taken out",
        "{} took a judge's answers out of the analysis.",
        "A judge's answers were taken out of the analysis.",
    ),
    Kind.JUDGE_RESTORED: Words(
        "judges brought back",
        "{} brought a judge's answers back into the analysis.",
        "A judge's answers were brought back into the analysis.",
    ),
    Kind.EXPERT_DELETED: Words(
        "deleted experts",
        "{} deleted an expert with all they gave.",
        "An expert was deleted with all they gave.",
    ),
    Kind.STUDY_BUILT: Words("building", "{} built the study.", "The study was built."),
    Kind.STUDY_DISCARDED: Words(
        "discarding", "{} discarded the draft.", "The draft was discarded."
    ),
    Kind.STUDY_OPENED: Words("opening", "{} opened the study.", "The study was opened."),
    Kind.STUDY_AMENDED: Words("later changes", "{} changed the design.", "The design was changed."),
    Kind.STUDY_CLOSED: Words("closing", "{} closed the study.", "The study was closed."),
    Kind.UNSEALING_ASKED: Words(
        "asking for the key", "{} asked for the key to be unsealed.", "The key was asked for."
    ),
    Kind.STUDY_UNSEALED: Words("unsealing", "{} unsealed the key.", "The key was unsealed."),
    Kind.INTERIM_LOOK: Words(
        "looks at interim results",
        "{} looked at results before the study was closed.",
        "Results were looked at before the study was closed.",
    ),
    Kind.RESULTS_VIEWED: Words(
        "views of results",
        "{} read results with the key unsealed.",
        "Results were read with the key unsealed.",
    ),
    Kind.DEBRIEF_VIEWED: Words(
        "debriefs read",
        "{} read who wrote what they judged.",
        "An expert read who wrote what they judged.",
    ),
    Kind.EXPORT_MADE: Words("exports", "{} made an export.", "An export was made."),
    Kind.CONSENT_PUBLISHED: Words(
        "consent texts",
        "{} published a version of the consent text.",
        "A version of the consent text was published.",
    ),
    Kind.SURFACE_CHECKED: Words(
        "surface checks", "{} ran the surface check.", "The surface check was run."
    ),
    Kind.ROLE_CHANGED: Words("roles", "{} changed a role.", "A role was changed."),
    Kind.TOKEN_MADE: Words("new tokens", "{} made a token.", "A token was made."),
    Kind.TOKEN_REVOKED: Words("stopped tokens", "{} stopped a token.", "A token was stopped."),
    Kind.LINK_SHOWN: Words(
        "links shown", "{} was shown personal links.", "Personal links were shown."
    ),
    Kind.HOOK_ADDED: Words("new hooks", "{} added a hook.", "A hook was added."),
    Kind.HOOK_REMOVED: Words("deleted hooks", "{} deleted a hook.", "A hook was deleted."),
}
TAKEN_BACK = "{} no longer asks for the key to be unsealed."

# What is told besides; nothing else of the details is shown.
FACTS = {
    "items": "items",
    "judgments": "judgments",
    "links": "links",
    "version": "version",
    "number": "look",
    "asked": "have asked",
    "needed": "have to ask",
    "through": "through",
    "to": "to",
    "reason": "reason",
    "preview": "preview",
    "fingerprint": "fingerprint",
    "sha256": "SHA-256",
}


@dataclass(frozen=True)
class Line:
    """One entry as it is shown. Its subject and digest are not."""

    at: datetime
    text: str
    facts: list[tuple[str, Any]]
    seal: int | None


class ActivityForm(forms.Form):
    """Which entries to show."""

    def __init__(self, *args: Any, entries: QuerySet[Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = set(entries.order_by().values_list("kind", flat=True).distinct())
        actors = set(entries.order_by().values_list("actor", flat=True).distinct()) - {""}
        there = [(kind.value, words.label) for kind, words in WORDS.items() if kind in kinds]
        self.fields["kind"] = forms.ChoiceField(
            required=False, label="What", choices=[("", "everything"), *there]
        )
        self.fields["actor"] = forms.ChoiceField(
            required=False,
            label="Who",
            choices=[
                ("", "everybody"),
                (NOBODY, "judges and Blindverse itself"),
                *((actor, actor) for actor in sorted(actors)),
            ],
        )

    def narrow(self, entries: QuerySet[Entry]) -> QuerySet[Entry]:
        """Return those of the entries that are asked for; what is no choice narrows nothing."""
        self.is_valid()
        if kind := self.cleaned_data.get("kind"):
            entries = entries.filter(kind=kind)
        if actor := self.cleaned_data.get("actor"):
            entries = entries.filter(actor="" if actor == NOBODY else actor)
        return entries


def lines(entries: Iterable[Entry]) -> list[Line]:
    """Return what a page tells of these entries."""
    return [_line(entry) for entry in entries]


def chain() -> dict[str, object]:
    """Return how far the whole log is sealed."""
    return {
        "head": Seal.objects.order_by("-number").first(),
        "unsealed": Entry.objects.unsealed().count(),
    }


def _line(entry: Entry) -> Line:
    facts = [
        (name, entry.details[key])
        for key, name in FACTS.items()
        if entry.details.get(key) not in (None, "")
    ]
    seal = entry.seal.number if entry.seal else None
    return Line(at=entry.at, text=_text(entry), facts=facts, seal=seal)


def _text(entry: Entry) -> str:
    if entry.kind not in WORDS:
        return entry.kind
    words = WORDS[Kind(entry.kind)]
    if not entry.actor:
        return words.by_itself
    taken_back = entry.kind == Kind.UNSEALING_ASKED and entry.details.get("taken_back")
    return (TAKEN_BACK if taken_back else words.by_somebody).format(entry.actor)
