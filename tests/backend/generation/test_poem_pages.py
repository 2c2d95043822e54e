"""The page of one machine poem: beside its reply, flagged, recited, corrected, leafed through."""

import pytest
from django.test import Client
from django.urls import reverse

from backend.corpus.models import Poem
from backend.generation.models import Correction, Generation, LanguageModel, Recital, Run
from tests.backend.generation.conftest import StartRun, shown_text, write_all

pytestmark = pytest.mark.django_db


def address(generation: Generation, query: str = "") -> str:
    return reverse("generation", args=[generation.pk]) + query


def written(start: StartRun, behaviour: str = "ok") -> list[Generation]:
    run = start(behaviour)
    write_all(run)
    return list(run.generations.order_by("pk"))


def flag(*generations: Generation) -> None:
    keys = [generation.pk for generation in generations]
    flags = [{"rule": "prose", "reason": "There is prose inside."}]
    Generation.objects.filter(pk__in=keys).update(flags=flags)


def test_a_generation_shows_brief_poem_reply_cuts_and_calls(
    researcher: Client, start: StartRun
) -> None:
    page = shown_text(researcher, address(written(start, "title")[0]))
    for shown in (
        "Theme: dawn",
        "by Author of Dawn",
        '<p class="poem-title">The River</p>',
        '<span class="line" data-line="1">The river keeps the light</span>',
        '<p class="as-written kept">The river keeps the light',
        "&quot;model&quot;: &quot;title&quot;",
        "chat.completion",
    ):
        assert shown in page


def test_what_was_cut_is_struck_through_and_says_why(researcher: Client, start: StartRun) -> None:
    page = shown_text(researcher, address(written(start, "title")[0]))
    assert "<del>Certainly! Here is a poem:" in page
    assert "Cut: The model speaks to whoever asked, before the poem." in page
    assert "<del>I hope you like it!" in page


def test_markup_in_a_reply_is_shown_not_followed(researcher: Client, start: StartRun) -> None:
    assert "&lt;html&gt;" in shown_text(researcher, address(written(start, "html")[0]))


def test_a_call_says_its_cost_tokens_time_and_id_or_that_they_are_not_known(
    researcher: Client, start: StartRun
) -> None:
    generation = written(start)[0]
    call = generation.calls.get()
    call.tokens_input, call.tokens_output, call.tokens_reasoning = 1234, None, None
    call.milliseconds, call.request_id, call.cost = 1500, "req-77", None
    call.save()
    page = shown_text(researcher, address(generation))
    assert "<dt>Tokens sent</dt><dd>1,234</dd>" in page
    assert "<dt>Tokens written</dt><dd>not known</dd>" in page
    assert "<dt>Cost</dt><dd>not known</dd>" in page
    assert "<dt>Took</dt><dd>1.50 s</dd>" in page
    assert "<code>req-77</code>" in page


def test_an_answer_that_was_taken_from_an_earlier_run_says_so(
    researcher: Client, start: StartRun
) -> None:
    early = written(start)[0]
    later = Run.objects.create(name="Later", template="poemetric")
    taken = Generation.objects.create(
        run=later,
        brief=early.brief,
        model=early.model,
        status="done",
        reply=early.reply,
        text=early.text,
        answer=early.answer,
    )
    page = shown_text(researcher, address(taken))
    assert "The very same call was made earlier, in the run" in page
    assert reverse("run", args=[early.run_id]) in page


def test_thinking_is_folded_away_beside_the_poem(researcher: Client, start: StartRun) -> None:
    generation = written(start)[0]
    generation.calls.update(reasoning="Let me count the feet.")
    page = shown_text(researcher, address(generation))
    assert '<details class="panel"> <summary>What the model thought before</summary>' in page
    assert "Let me count the feet." in page


def test_recited_lines_stand_side_by_side(researcher: Client, start: StartRun) -> None:
    generation, poem = written(start)[0], Poem.objects.get(title="Noon")
    pairs = [["Shall I compare", "Shall I compare"], ["thee to a day?", "thee to a summer’s day?"]]
    Recital.objects.create(generation=generation, poem=poem, kind="near", lines=pairs)
    page = shown_text(researcher, address(generation))
    assert "Nearly the same lines as in “Noon”" in page
    assert '<td class="prose">thee to a day?</td><td class="prose">thee to a summer’s day?' in page


def test_poems_are_leafed_through_as_they_were_chosen(researcher: Client, start: StartRun) -> None:
    first, middle, last = written(start)
    flag(first, last)
    page = shown_text(researcher, address(first, "?status=look"))
    assert f'rel="next" href="{address(last, "?status=look&amp;model=")}"' in page
    assert 'rel="prev"' not in page
    assert "Poem 1 of 2 as chosen" in page
    page = shown_text(researcher, address(middle))
    assert f'rel="prev" href="{address(first)}"' in page
    assert f'rel="next" href="{address(last)}"' in page
    assert "Poem 2 of 3" in page


def test_whoever_has_looked_goes_on_to_the_next_until_none_is_left(
    researcher: Client, start: StartRun
) -> None:
    first, _, last = written(start)
    flag(first, last)
    query = "?status=look&model="
    page = shown_text(researcher, address(last, query))
    assert "There is prose inside." in page
    assert "autofocus" in page
    looked = reverse("generation-looked", args=[last.pk]) + query
    assert researcher.post(looked).url == address(first, query)  # type: ignore[attr-defined]
    last.refresh_from_db()
    assert last.looked_at
    assert last.looked_by
    done = researcher.post(reverse("generation-looked", args=[first.pk]) + query, follow=True)
    assert "There is none left of these." in done.content.decode()
    assert "Flagged, and looked at" in shown_text(researcher, address(last))


def test_a_correction_is_kept_with_what_stood_before(researcher: Client, start: StartRun) -> None:
    generation = written(start)[0]
    before = generation.text
    form = {
        "title": "New",
        "text": "One line\r\n\r\nanother",
        "reason": "A remark stayed.",
        "after": 0,
    }
    sent = researcher.post(reverse("generation-correct", args=[generation.pk]), form, follow=True)
    page = sent.content.decode()
    assert "The correction is kept" in page
    generation.refresh_from_db()
    assert (generation.title, generation.text) == ("New", "One line\n\nanother")
    kept = Correction.objects.get()
    assert (kept.text_before, kept.text_after) == (before, generation.text)
    assert "A remark stayed." in page
    # The reply beside it shows what cleaning made of it, not what a person wrote.
    assert '<p class="as-written kept">' in page


def test_a_correction_without_poem_or_reason_is_refused_and_nothing_lost(
    researcher: Client, start: StartRun
) -> None:
    generation = written(start)[0]
    correct = reverse("generation-correct", args=[generation.pk])
    for text, reason, field in (("  \n ", "Why", "text"), ("Words I typed", "", "reason")):
        form = {"title": "", "text": text, "reason": reason, "after": 0}
        refused = researcher.post(correct, form)
        assert refused.status_code == 422
        assert set(refused.context["form"].errors) == {field}
    assert "Words I typed" in refused.content.decode()
    assert not Correction.objects.exists()


def test_a_correction_of_what_was_corrected_meanwhile_is_refused(
    researcher: Client, start: StartRun
) -> None:
    generation = written(start)[0]
    correct = reverse("generation-correct", args=[generation.pk])
    researcher.post(correct, {"text": "First", "reason": "a", "after": 0})
    refused = researcher.post(correct, {"text": "Second", "reason": "b", "after": 0})
    assert refused.status_code == 422
    assert "Somebody corrected it meanwhile" in refused.content.decode()
    generation.refresh_from_db()
    assert generation.text == "First"


def test_a_model_filter_that_no_database_can_hold_is_passed_over(
    researcher: Client, start: StartRun
) -> None:
    generation = written(start)[0]
    assert "Poem 1 of 3" in shown_text(researcher, address(generation, f"?model={10**30}&status=x"))
    assert LanguageModel.objects.exists()
