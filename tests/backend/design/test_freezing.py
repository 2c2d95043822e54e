"""The fingerprint binds all that a study fixes, and tells nothing of its key."""

import copy
import re

import pytest

from annotation.judgments.services import submit
from annotation.studies import consenting, links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, ConsentWording, Item, Study
from backend.design import services, unsealing
from backend.design.freezing import fingerprint, fixes_name
from backend.design.models import Design, Placement
from tests.backend.design.material import agree, draft, material, model, plan
from tests.studies import researcher

pytestmark = pytest.mark.django_db


def now(study: Study) -> str:
    """Return the fingerprint of the study as the database has it."""
    return fingerprint(Study.objects.select_related("design").get(pk=study.pk))


def questions(study: Study) -> None:
    data = copy.deepcopy(study.instrument_data)
    data["questions"][0]["text"] += "!"
    Study.objects.filter(pk=study.pk).update(instrument_data=data)


def one_study(**fields: object):
    return lambda study: Study.objects.filter(pk=study.pk).update(**fields)


def one_item(**fields: object):
    return lambda study: Item.objects.filter(pk=study.items.first().pk).update(**fields)


def one_design(**fields: object):
    return lambda study: Design.objects.filter(study=study).update(**fields)


def one_wording(language: str):
    return lambda study: ConsentWording.objects.filter(study=study, language=language).update(
        text="You agree."
    )


def lose_wording(study: Study) -> None:
    ConsentWording.objects.filter(study=study, language="zh-hans").delete()


def swap_key(study: Study) -> None:
    """Let a human and a machine text change places in the key."""
    key = Placement.objects.filter(item__study=study)
    human, machine = key.filter(generation=None).first(), key.filter(poem=None).first()
    human.poem, human.generation, machine.poem, machine.generation = (
        None, machine.generation, human.poem, None,
    )  # fmt: skip
    human.save()
    machine.save()


def swap_items(study: Study) -> None:
    """Let a human and a machine text change places under the key: the same fraud from below."""
    key = Placement.objects.filter(item__study=study)
    one = key.filter(generation=None).first().item
    other = key.filter(poem=None).first().item
    for mine, theirs in (
        (one, Item.objects.get(pk=other.pk)),
        (other, Item.objects.get(pk=one.pk)),
    ):
        for field in ("text", "title", "brief", "language", "stratum", "twin"):
            setattr(mine, field, getattr(theirs, field))
    one.save()
    other.save()


CHANGES = {
    "a text": one_item(text="another text"),
    "a space in a text": one_item(text="A human line 0, \n    and then another."),
    "a title": one_item(title="A title"),
    "a brief": one_item(brief="Another brief"),
    "a language": one_item(language="zh"),
    "a stratum": one_item(stratum="0" * 16),
    "a twin": one_item(twin="0" * 16),
    "a question": questions,
    "K": one_study(judges_per_item=3),
    "the batch": one_study(batch_size=6),
    "the seed": one_study(seed=8),
    "the consent text": one_wording("en"),
    "the consent text in another language": one_wording("zh-hans"),
    "a language of the consent text": lose_wording,
    "whom to write to": one_study(contact="other@university.example"),
    "the promise": one_study(promise="I promise."),
    "the honorarium": one_study(honorarium="A book."),
    "whether a background is asked for": one_study(asks_background=True),
    "whether experts are told afterwards": one_study(debriefs=True),
    "a second text": one_item(second="another text"),
    "whom an item is in conflict with": one_item(conflicts=["0" * 16]),
    "the study's title": one_study(title="Autumn study"),
    "the recipe": one_design(recipe=["nothing"]),
    "the salt": one_design(key_salt="0" * 32),
    "the key": swap_key,
    "the texts under the key": swap_items,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_anything_frozen_changes_the_fingerprint(change):
    study = draft()
    before = now(study)
    CHANGES[change](study)
    assert now(study) != before


def test_a_text_taken_away_changes_the_fingerprint():
    study = draft()
    before = now(study)
    lost = study.items.first()
    Placement.objects.filter(item=lost).delete()
    lost.delete()
    assert now(study) != before


def test_the_fingerprint_is_a_sha256_and_the_same_whenever_it_is_computed():
    study = draft()
    first = fingerprint(study)  # of the row as it was built, not as it is read back
    assert re.fullmatch("[0-9a-f]{64}", first)
    assert {now(study) for _ in range(3)} == {first}


def test_the_fingerprint_changes_with_the_secret_salt_so_that_no_guess_at_a_key_can_be_tried():
    study = draft()
    seen = set()
    for salt in ("0" * 32, "1" * 32, "2" * 32):
        Design.objects.filter(study=study).update(key_salt=salt)
        seen.add(now(study))
    assert len(seen) == 3


def test_every_study_has_a_long_salt_of_its_own():
    shelf = material(poems=1)
    salts = {services.build(plan(shelf)).design.key_salt for _ in range(5)}
    assert len(salts) == 5
    assert all(re.fullmatch("[0-9a-f]{32}", salt) for salt in salts)


def test_a_study_keeps_its_fingerprint_through_judging_closing_and_unblinding():
    study = services.open_study(draft(instrument="proftap-probability"))
    frozen = study.fingerprint
    for name in ("Ada", "Ben"):
        judge = links.invite(study, name=name).invitation.judge
        agree(judge)
        ledger.deal(judge)
        for assignment in Assignment.objects.of(judge).waiting():
            submit(assignment, {"probability_human": 0.5}, milliseconds=None)
    services.close(study)
    unsealing.ask(study, by=researcher())
    assert now(study) == frozen


def test_consent_is_given_to_the_fingerprint():
    study = services.open_study(draft())
    judge = links.invite(study, name="Ada").invitation.judge
    assert agree(judge).fingerprint == study.fingerprint == now(study)


def test_a_new_version_of_the_consent_text_leaves_the_fingerprint_as_it_was():
    study = services.open_study(draft())
    consenting.publish(study, {"en": "Read this again."})
    assert now(study) == study.fingerprint


def test_a_models_name_is_fixed_from_the_opening_of_a_study_with_its_poems_on():
    study, other = draft(), model("Unread")
    writers = list(study.design.models_chosen.all())
    assert not any(fixes_name(one) for one in writers)
    services.open_study(study)
    assert all(fixes_name(one) for one in writers)
    services.close(study)
    assert all(fixes_name(one) for one in writers)
    assert not fixes_name(other)


def pair_of(study: Study) -> Placement:
    return Placement.objects.filter(item__study=study).select_related("item").first()


PAIRED = {
    "which of two texts is the human one": lambda pair: Placement.objects.filter(pk=pair.pk).update(
        human_second=not pair.human_second
    ),
    "which text stands first": lambda pair: Item.objects.filter(pk=pair.item_id).update(
        text=pair.item.second, second=pair.item.text
    ),
}


@pytest.mark.parametrize("change", PAIRED)
def test_a_change_within_a_pair_changes_the_fingerprint(change):
    study = draft(instrument="pair-choice")
    before = now(study)
    PAIRED[change](pair_of(study))
    assert now(study) != before
