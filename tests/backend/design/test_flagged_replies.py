"""Before a study opens, its checklist tells what nobody has looked at in the machine poems."""

import pytest
from django.utils import timezone

from annotation.studies.models import Study
from backend.design.checklist import Check, State, checklist
from backend.generation.models import Correction, Generation
from tests.backend.design.material import draft, material, model, write

pytestmark = pytest.mark.django_db

FLAG = [{"rule": "several poems", "reason": "More than one poem stands in the reply."}]


def said(study: Study) -> dict[str, Check]:
    return {one.key: one for one in checklist(study) if one.key in ("flags", "corrected")}


def test_machine_poems_that_were_flagged_and_not_looked_at_are_counted():
    shelf = material(poems=3)
    one, other, *_ = Generation.objects.order_by("pk")
    Generation.objects.filter(pk__in=[one.pk, other.pk]).update(flags=FLAG)
    Generation.objects.filter(pk=other.pk).update(looked_at=timezone.now())
    check = said(draft(shelf))["flags"]
    assert (check.state, check.text) == (
        State.WARN, "1 machine poem was flagged, and nobody has looked since.",
    )  # fmt: skip


def test_flags_of_poems_that_are_not_in_the_study_are_not_its_own():
    shelf = material(poems=2)
    write(shelf.run, model("Zodelbrand Gamma"), None, "Elsewhere.", prompt="Write elsewhere.")
    Generation.objects.filter(model__name="Zodelbrand Gamma").update(flags=FLAG)
    assert said(draft(shelf)) == {}


def test_a_correction_after_the_draft_was_built_is_told_of_and_an_earlier_one_is_not():
    shelf = material(poems=3)
    early, late, *_ = Generation.objects.order_by("pk")
    texts = {"text_before": "a", "text_after": "b", "reason": "A heading stayed in it."}
    Correction.objects.create(generation=early, **texts)
    study = draft(shelf)
    assert said(study) == {}
    for _ in range(2):
        Correction.objects.create(generation=late, **texts)
    check = said(study)["corrected"]
    assert (check.state, check.text) == (
        State.WARN, "1 machine poem was corrected after this draft was built.",
    )  # fmt: skip
