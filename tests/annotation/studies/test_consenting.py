"""Consent: word for word, in versions, in languages; and what experts say of themselves."""

import pytest

from annotation.studies import consenting, links
from annotation.studies import services as ledger
from annotation.studies.models import Background, Consent, Study
from tests.annotation.panel import expert, open_study

pytestmark = pytest.mark.django_db

# printf 'You will read poems.' | sha256sum
SHA256 = "195b7ae64e818bc51dcf9e539d13e9dddc900df71f4f852442708b92b6646f51"


def shown(judge, language="en"):
    return consenting.wording_for(judge.study, language)


def test_consent_keeps_the_very_words_their_hash_and_the_studys_fingerprint():
    judge = expert(open_study(), agreed=False)
    consent = consenting.agree(judge, wording=shown(judge))
    assert (consent.text, consent.sha256) == ("You will read poems.", SHA256)
    assert (consent.version, consent.fingerprint, consent.promise) == (1, "f" * 64, "")
    assert (consent.quotable, consent.thanked_as) == (False, "")
    assert consenting.agreed(judge) == consent


def test_agreeing_again_changes_only_what_may_be_quoted_and_named():
    judge = expert(open_study(), agreed=False)
    first = consenting.agree(judge, wording=shown(judge), quotable=True, thanked_as="A. L.")
    again = consenting.agree(judge, wording=shown(judge))
    assert (again.pk, again.agreed_at) == (first.pk, first.agreed_at)
    stored = Consent.objects.get()
    assert (stored.quotable, stored.thanked_as) == (False, "")


def test_a_new_version_asks_again_before_the_next_poem_and_keeps_the_earlier_consent():
    study = open_study()
    judge = expert(study)
    assert consenting.publish(study, {"en": "You will read more poems."}) == 2
    assert consenting.agreed(judge) is None
    with pytest.raises(ledger.NoConsent):
        ledger.deal(judge)
    consenting.agree(judge, wording=shown(judge))
    assert ledger.deal(judge) == 3
    assert list(judge.consents.values_list("version", "text")) == [
        (1, "You will read poems."),
        (2, "You will read more poems."),
    ]


def test_nobody_agrees_to_a_text_that_was_replaced_while_they_read_it():
    judge = expert(open_study(), agreed=False)
    old = shown(judge)
    consenting.publish(judge.study, {"en": "Other words."})
    with pytest.raises(consenting.OldWording):
        consenting.agree(judge, wording=old)
    assert not Consent.objects.exists()


def test_nobody_agrees_to_the_text_of_another_study():
    judge, other = expert(open_study(), agreed=False), expert(open_study())
    with pytest.raises(ValueError, match="no consent text of"):
        consenting.agree(judge, wording=shown(other))


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_only_an_open_study_can_be_agreed_to_since_a_drafts_text_may_change(state):
    study = open_study()
    study.state, study.fingerprint = state, "" if state == "draft" else "f" * 64
    study.save()
    judge = expert(open_study(), agreed=False)
    judge.study = study
    with pytest.raises(consenting.NotOpen):
        consenting.agree(judge, wording=shown(judge))


def test_where_a_promise_is_asked_for_nobody_agrees_without_it():
    study = open_study()
    Study.objects.filter(pk=study.pk).update(promise="I use no other help.")
    study.refresh_from_db()
    judge = expert(study, agreed=False)
    with pytest.raises(consenting.NoPromise):
        consenting.agree(judge, wording=shown(judge))
    consent = consenting.agree(judge, wording=shown(judge), promised=True)
    assert consent.promise == "I use no other help."


def test_a_text_is_shown_in_the_language_asked_for_else_the_studys_else_any():
    study = open_study()
    consenting.publish(study, {"en": "Hello.", "zh-hans": "你好。", "de": "Guten Tag."})
    asked = ("zh-hans", "zh", "zh-hant", "de", "de-at", "fr", "")
    texts = [consenting.wording_for(study, language).text for language in asked]
    assert texts == ["你好。"] * 3 + ["Guten Tag."] * 2 + ["Hello."] * 2
    consenting.publish(study, {"de": "Neu.", "fr": "Nouveau."})
    # The newest version counts, even where an older one has the language.
    assert consenting.wording_for(study, "zh").version == 3


def test_a_page_finds_the_very_wording_that_it_showed():
    study = open_study()
    consenting.publish(study, {"en": "Hello.", "de": "Guten Tag."})
    assert consenting.wording_shown(study, "2", "de").text == "Guten Tag."
    for version, language in (("1", "en"), ("2", "fr"), ("3", "en"), ("x", "en"), ("", "")):
        with pytest.raises(consenting.OldWording):
            consenting.wording_shown(study, version, language)


@pytest.mark.parametrize("texts", [{}, {"en": " \n"}, {"en": "Hello.", "de": ""}])
def test_an_empty_text_is_not_published(texts):
    study = open_study()
    with pytest.raises(ValueError, match="at least one language"):
        consenting.publish(study, texts)
    assert consenting.newest(study) == 1


def test_a_study_that_asks_for_the_background_gives_nothing_without_it():
    study = open_study()
    Study.objects.filter(pk=study.pk).update(asks_background=True)
    study.refresh_from_db()
    judge = expert(study)
    assert consenting.lacks_background(judge)
    with pytest.raises(consenting.NoBackground):
        ledger.deal(judge)
    consenting.record_background(judge, practice=[], years="", languages=[], conflicts="")
    assert not consenting.lacks_background(judge)
    assert ledger.deal(judge) == 3


def test_a_background_said_again_replaces_the_earlier_one():
    judge = expert(open_study())
    consenting.record_background(
        judge, practice=["poet"], years="3-5", languages=["en"], conflicts="William Blake"
    )
    consenting.record_background(
        judge, practice=["poet", "scholar"], years="", languages=["en", "zh"], conflicts=""
    )
    stored = Background.objects.get()
    assert (stored.practice, stored.years) == (["poet", "scholar"], "")
    assert (stored.languages, stored.conflicts) == (["en", "zh"], "")


def test_consent_comes_before_the_background():
    study = open_study()
    judge = links.invite(study, name="Ada").invitation.judge
    Study.objects.filter(pk=study.pk).update(asks_background=True)
    with pytest.raises(ledger.NoConsent) as refused:
        ledger.deal(judge)
    assert refused.type is ledger.NoConsent
