"""What a person does to a poem that was found in a reply: looks at it, corrects it."""

from django.db import transaction
from django.utils import timezone

from backend.accounts.models import User
from backend.generation.models import Correction, Generation
from backend.generation.work import Work

LONGEST_TITLE = Generation._meta.get_field("title").max_length or 0
# Failures with a reply in which there may be a poem all the same.
REPLIED = ("empty", "refused", "truncated")
LONGEST_REASON = Correction._meta.get_field("reason").max_length or 0


class NotAPoem(ValueError):
    """What is to stand as the poem is empty."""


class NothingChanged(ValueError):
    """Title and text are as they were."""


class NoReason(ValueError):
    """A correction says nothing of why it was made."""


class NothingToCorrect(ValueError):
    """No reply came, one is awaited, or what came is somebody else's poem."""


class CorrectedMeanwhile(ValueError):
    """Somebody else corrected it since it was read."""


@transaction.atomic
def correct(
    generation: Generation,
    *,
    title: str,
    text: str,
    reason: str,
    by: User | None,
    after: int | None = None,
) -> Correction:
    """Replace title and text of a poem, and record what they were, who changed them and why.

    The raw reply stays. Where cleaning found no poem in a reply that holds one, it has one now.

    Parameters
    ----------
    after : int, optional
        How many corrections there were when the poem was read; if there are more now, somebody
        else's would be overwritten unseen.

    Raises
    ------
    NotAPoem
        If the text is empty, or if title or text cannot be stored.
    NoReason
        If there is no reason.
    NothingChanged
        If title and text are as they were.
    NothingToCorrect
        If no reply came, if one is awaited, or if what came was recited.
    CorrectedMeanwhile
        If there are more corrections than `after`.
    """
    title, text, reason = title.strip(), _as_stored(text), reason.strip()
    _check(title, text, reason)
    held = Generation.objects.select_for_update(no_key=True).get(pk=generation.pk)
    if not can_be_corrected(held):
        raise NothingToCorrect("There is no reply in which a poem could be found.")
    if after is not None and held.corrections.count() != after:
        raise CorrectedMeanwhile("Somebody corrected it meanwhile. Read it again first.")
    if (title, text) == (held.title, held.text):
        raise NothingChanged("Title and text are as they were.")
    correction = Correction.objects.create(
        generation=held,
        title_before=held.title,
        text_before=held.text,
        title_after=title,
        text_after=text,
        reason=reason,
        by=by,
    )
    held.title, held.text = title, text
    if held.status == Work.Status.FAILED:
        held.status, held.error_kind, held.error = Work.Status.DONE, "", ""
    held.save(update_fields=["title", "text", "status", "error_kind", "error"])
    return correction


def can_be_corrected(generation: Generation) -> bool:
    """Whether a reply came in which there may be a poem of the model's own."""
    failed = generation.status == Work.Status.FAILED and generation.error_kind in REPLIED
    return bool(generation.reply) and (failed or generation.status == Work.Status.DONE)


def look_at(generation: Generation, by: User | None) -> bool:
    """Note that a person has seen why it should be looked at. False if one had before."""
    unseen = Generation.objects.filter(pk=generation.pk, looked_at=None)
    return bool(unseen.update(looked_at=timezone.now(), looked_by=by))


def _as_stored(text: str) -> str:
    """Return the text as poems are stored: no blank lines around it, none of the form's CR."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(line.rstrip() for line in lines)


def _check(title: str, text: str, reason: str) -> None:
    if not text:
        raise NotAPoem("Write the poem. To have none of this reply, leave it out of the study.")
    if any("\0" in part for part in (title, text, reason)):
        raise NotAPoem("Delete the NUL character.")
    if not reason:
        raise NoReason("Say why.")
    if len(title) > LONGEST_TITLE or len(reason) > LONGEST_REASON:
        raise NotAPoem(f"Title and reason have at most {LONGEST_TITLE} characters.")
