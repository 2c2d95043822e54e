"""A pilot is a small study of its own, with a key of its own."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.studies.models import Study
from backend.design import unsealing
from backend.design.models import Placement
from backend.design.pilot import try_out
from backend.design.planning import AttentionPlan, Exclusions, GroupPlan
from backend.design.services import WrongState, close, discard, open_study
from tests.backend.design.material import draft, material
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db


def test_a_pilot_holds_all_texts_on_some_briefs_under_codes_of_its_own():
    study = draft(twins="never", apart=3, exclusions=Exclusions(seconds_per_line=1.5))
    made = try_out(study, briefs=2)
    assert (made.state, made.title, made.twins, made.apart) == (
        "open", "Spring study (pilot)", "never", 3,
    )  # fmt: skip
    assert made.design.pilot_of == study
    assert made.design.exclusions["seconds_per_line"] == 1.5
    assert made.items.count() == 6
    texts = set(study.items.values_list("text", flat=True))
    assert set(made.items.values_list("text", flat=True)) <= texts
    for code in ("stratum", "twin", "form"):
        codes = set(made.items.values_list(code, flat=True))
        assert not codes & set(study.items.values_list(code, flat=True))
    assert made.design.key_salt != study.design.key_salt
    assert Study.objects.get(pk=study.pk).state == "draft"


def test_the_key_of_a_pilot_is_that_of_its_texts():
    study = draft()
    key = {
        (one.item.text, one.poem_id, one.generation_id)
        for one in Placement.objects.filter(item__study=study).select_related("item")
    }
    made = try_out(study, briefs=1)
    tried = Placement.objects.filter(item__study=made).select_related("item")
    assert len(tried) == 3
    assert {(one.item.text, one.poem_id, one.generation_id) for one in tried} <= key


def test_the_same_briefs_are_drawn_by_the_same_seed():
    study = draft()
    drawn = [set(try_out(study, briefs=1).items.values_list("text", flat=True)) for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_groups_and_tests_of_attention_are_tried_out_too():
    study = draft(
        groups=[GroupPlan("all", 3)],
        attention=[AttentionPlan("Choose 5.", {"imagery": "5"})],
        attention_every=2,
    )
    made = try_out(study, briefs=1)
    assert made.groups.get().judges_per_item == 3
    assert made.items.judged().filter(group=made.groups.get(), places=3).count() == 3
    assert made.items.get(attention=True).attention_check.expected == {"imagery": "5"}


@pytest.mark.parametrize(("twins", "briefs", "repeats"), [("never", 2, 2), ("last", 1, 3)])
def test_a_pilot_asks_for_no_more_repeats_than_an_expert_is_given_texts_of_it(
    twins, briefs, repeats
):
    study = draft(material(poems=4), twins=twins, repeats=4)
    made = try_out(study, briefs=briefs)
    assert (made.repeats, made.versions.get().content["repeats"]) == (repeats, repeats)
    study.refresh_from_db()
    assert study.repeats == 4
    client = Client()
    client.force_login(coordinator())
    page = client.get(reverse("study", args=[made.slug])).content.decode()
    assert f"Each expert is given {repeats} hidden repeats, not 4" in page
    whole = try_out(study, briefs=4)
    assert whole.repeats == 4
    page = client.get(reverse("study", args=[whole.slug])).content.decode()
    assert "Each expert is given" not in page


def test_only_a_draft_is_tried_out_and_a_draft_that_was_is_kept():
    study = draft()
    made = try_out(study, briefs=1)
    with pytest.raises(WrongState):
        try_out(made, briefs=1)
    with pytest.raises(WrongState, match="was tried out"):
        discard(study)
    open_study(study)
    with pytest.raises(WrongState):
        try_out(study, briefs=1)


def test_nobody_is_told_who_wrote_texts_that_are_still_judged_elsewhere():
    study = draft(debriefs=True)
    made = try_out(study, briefs=2)
    open_study(study)
    close(made)
    assert unsealing.ask(made, by=researcher())
    shared = made.items.filter(text__in=study.items.values("text"))
    assert shared.exists()
    made.refresh_from_db()
    study.refresh_from_db()
    assert (made.debriefs, made.debrief_at) == (False, None)
    assert study.debriefs


def test_the_usual_text_of_a_pilot_promises_no_debrief_and_own_words_stay():
    shelf = material()

    def said(**words):
        made = try_out(draft(shelf, debriefs=True, **words), briefs=1)
        return dict(made.consent_wordings.values_list("language", "text"))

    usual = dict(draft(shelf).consent_wordings.values_list("language", "text"))
    assert said() == usual
    assert said(consent="You will be told.") == {"en": "You will be told."}


def test_both_pages_say_which_is_the_pilot():
    client = Client()
    client.force_login(coordinator())
    study = draft()
    answer = client.post(reverse("pilot-study", args=[study.slug]), {"briefs": "2"}, follow=True)
    assert "This is the pilot of" in answer.content.decode()
    assert "Its experts are not told who wrote what" in answer.content.decode()
    page = client.get(reverse("study", args=[study.slug])).content.decode()
    assert "Tried out as" in page
    assert "spring-study-pilot" in page
