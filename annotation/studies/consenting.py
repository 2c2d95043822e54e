"""What experts agree to before the first poem, in its versions, and what they say of themselves."""

import hashlib
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.studies.links import NotOpen, StaleLink
from annotation.studies.models import Background, Consent, ConsentWording, Judge, Study

PRACTICES = (
    ("poet", gettext_lazy("I write poems")),
    ("scholar", gettext_lazy("I study literature")),
    ("translator", gettext_lazy("I translate poems")),
    ("teacher", gettext_lazy("I teach poetry")),
    ("editor", gettext_lazy("I edit or publish poems")),
    ("critic", gettext_lazy("I review poems")),
    ("reader", gettext_lazy("I read poems for pleasure")),
)
LANGUAGES = (
    ("ar", gettext_lazy("Arabic")),
    ("zh", gettext_lazy("Chinese")),
    ("en", gettext_lazy("English")),
    ("fr", gettext_lazy("French")),
    ("de", gettext_lazy("German")),
    ("hi", gettext_lazy("Hindi")),
    ("it", gettext_lazy("Italian")),
    ("ja", gettext_lazy("Japanese")),
    ("ko", gettext_lazy("Korean")),
    ("fa", gettext_lazy("Persian")),
    ("pt", gettext_lazy("Portuguese")),
    ("ru", gettext_lazy("Russian")),
    ("es", gettext_lazy("Spanish")),
    ("other", pgettext_lazy("language", "Another")),
)


class NoConsent(Exception):
    """The judge has not agreed to take part yet, or not to the newest text."""


class NoBackground(NoConsent):
    """The study asks for the judge's background, and they have not given it yet."""


class NoPromise(Exception):
    """The study asks for a promise with the consent, and it was not given."""


class OldWording(Exception):
    """A newer version of the text was published since this one was shown."""


@transaction.atomic
def publish(study: Study, texts: Mapping[str, str]) -> int:
    """Publish the next version of a study's consent text, by language. Return its number.

    Whoever agreed to an earlier one is asked again before the next poem.

    Raises
    ------
    ValueError
        If there is no text, or one of them is blank.
    """
    if not texts or not all(text.strip() for text in texts.values()):
        raise ValueError("A consent has a text in at least one language, and none is blank.")
    # So that two who publish at once come one after the other.
    Study.objects.hold(study.pk)
    version = newest(study) + 1
    ConsentWording.objects.bulk_create(
        ConsentWording(
            study=study,
            version=version,
            language=language,
            text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for language, text in texts.items()
    )
    return version


def newest(study: Study) -> int:
    """Return the number of the newest version; 0 where none is published."""
    wording = ConsentWording.objects.latest_of(study).first()
    return wording.version if wording else 0


def wording_for(study: Study, language: str) -> ConsentWording:
    """Return the newest version in this language; else in the study's, else in any.

    A wording in "zh" serves whoever asks for "zh-hans", and the other way round.

    Raises
    ------
    ConsentWording.DoesNotExist
        If none is published.
    """
    wordings = list(ConsentWording.objects.latest_of(study).order_by("language"))
    if not wordings:
        raise ConsentWording.DoesNotExist(f"{study} has no consent text")

    def remoteness(wording: ConsentWording) -> tuple[bool, ...]:
        asked = wording.language.lower(), language.lower()
        own = wording.language.lower(), study.language.lower()
        return asked[0] != asked[1], not _related(*asked), own[0] != own[1], not _related(*own)

    return min(wordings, key=remoteness)


def wording_shown(study: Study, version: str, language: str) -> ConsentWording:
    """Return the wording that a page showed, by the version and language that the page sent back.

    Raises
    ------
    OldWording
        If there is none such in the newest version.
    """
    # Compared here: what a page sends back may be no text that a database takes.
    for wording in ConsentWording.objects.latest_of(study):
        if (str(wording.version), wording.language) == (version, language):
            return wording
    raise OldWording


@transaction.atomic
def agree(
    judge: Judge,
    *,
    wording: ConsentWording,
    quotable: bool = False,
    thanked_as: str = "",
    promised: bool = False,
) -> Consent:
    """Record that the judge agrees to the text that was shown, word for word.

    Agreeing again to the same version changes only what the judge lets be quoted and named.

    Raises
    ------
    NoPromise
        If the study asks for a promise and it was not given.
    NotOpen
        If the study is not open: a draft may still change.
    OldWording
        If a newer version was published since this one was shown.
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    ValueError
        If the wording is another study's.
    """
    _hold(judge)
    study = judge.study
    if wording.study_id != study.pk:
        raise ValueError(f"{wording} is no consent text of {study}.")
    if study.state != Study.State.OPEN:
        raise NotOpen
    if wording.version != newest(study):
        raise OldWording
    if study.promise and not promised:
        raise NoPromise
    choices = {"quotable": quotable, "thanked_as": thanked_as}
    consent, _ = Consent.objects.update_or_create(
        judge=judge,
        version=wording.version,
        defaults=choices,
        create_defaults={
            "wording": wording,
            "text": wording.text,
            "sha256": wording.sha256,
            "promise": study.promise,
            "fingerprint": study.fingerprint,
            **choices,
        },
    )
    return consent


def allow(judge: Judge, *, quotable: bool, thanked_as: str) -> None:
    """Change what an expert lets be quoted and named, with the newest text they agreed to."""
    theirs = judge.consents.order_by("version").last()
    if theirs:
        Consent.objects.filter(pk=theirs.pk).update(quotable=quotable, thanked_as=thanked_as)


def agreed(judge: Judge) -> Consent | None:
    """Return the judge's consent to the newest version, if they gave it."""
    return Consent.objects.filter(judge=judge, version=newest(judge.study)).first()


def lacks_background(judge: Judge) -> bool:
    """Whether the study asks for the judge's background and they have not given it."""
    asks = judge.study.asks_background
    return asks and not Background.objects.filter(judge=judge).exists()


@transaction.atomic
def record_background(
    judge: Judge,
    *,
    practice: Sequence[str],
    years: str,
    languages: Sequence[str],
    conflicts: str,
) -> Background:
    """Keep what an expert says of themselves, in place of what they said before.

    Raises
    ------
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    _hold(judge)
    background, _ = Background.objects.update_or_create(
        judge=judge,
        defaults={
            "practice": list(practice),
            "years": years,
            "languages": list(languages),
            "conflicts": conflicts,
        },
    )
    return background


def _hold(judge: Judge) -> None:
    """Let nobody delete the judge until this transaction ends."""
    own = Judge.objects.filter(pk=judge.pk).order_by()
    if not list(own.select_for_update(no_key=True).values_list("pk")):
        raise StaleLink


def _related(one: str, other: str) -> bool:
    return one.partition("-")[0] == other.partition("-")[0]
