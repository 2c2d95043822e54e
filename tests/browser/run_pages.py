"""The pages about runs and machine poems, in the states that have most on them."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal

from django.utils import timezone
from playwright.sync_api import Page, expect

from backend.accounts.models import User
from backend.corpus.models import Collection
from backend.generation import controlling, correcting, services
from backend.generation.models import Call, Gate, Generation, LanguageModel, Recital
from tests.language_models import model_at

POEM = "The river keeps the light\nuntil the light is gone;\n\nand keeps it all the same."
REPLY = f"Certainly! Here is a poem:\n\n**The River**\n\n{POEM}\n\nI hope you like it!"
UNBROKEN = "req-" + "0123456789abcdef" * 8

Visit = tuple[str, str, Callable[[Page], None]]


def visits(user: User, collection: Collection) -> Iterator[Visit]:
    """Yield name and address of each page, and what is done there."""
    priced, busy = _models()
    yield "run-new", "/generation/new/", _nothing
    yield "run-estimate", "/generation/new/", _estimate
    run = services.start_run(
        name="A run with a name that takes more than a line on any phone",
        collection=collection,
        models=[priced, busy],
        template="poemetric",
        cap=Decimal(20),
        by=user,
    ).run
    first, second, third = run.generations.filter(model=priced).order_by("pk")[:3]
    _write(first, second)
    Generation.objects.filter(pk=third.pk).update(
        status="failed", error_kind="refused", error="I cannot write that.", reply="No."
    )
    at = f"/generation/runs/{run.pk}/"
    yield "runs", "/generation/", _nothing
    yield "run-running", at, _unfold
    yield "run-to-look-at", f"{at}?status=look", _nothing
    yield "run-failed", f"{at}?status=failed:refused", _nothing
    yield "run-cancel", f"{at}cancel/", _nothing
    controlling.pause(run)
    yield "run-paused", at, _nothing
    yield "poem-to-look-at", f"/generation/poems/{first.pk}/?status=look", _unfold
    yield "poem-refused", f"/generation/poems/{third.pk}/", _unfold
    correcting.correct(second, title="", text="One line.", reason="No title.", by=user)
    yield "poem-corrected", f"/generation/poems/{second.pk}/", _unfold
    yield "poem-correction-refused", f"/generation/poems/{second.pk}/", _correct_nothing
    controlling.cancel(run)
    yield "run-cancelled", at, _nothing


def _models() -> tuple[LanguageModel, LanguageModel]:
    url = "https://llm.example/v1"
    prices = {"price_input": Decimal("2.5"), "price_output": Decimal(10)}
    priced = model_at(url, "gpt-of-note-2026-01-01", name="GPT of note", **prices)
    busy = model_at(url, "busy", name="Thinker", thinks=True, **prices)
    model_at(url, "unpriced", name="Of unknown price")
    Gate.objects.create(
        model=busy,
        width=2,
        held_until=timezone.now() + timedelta(hours=1),
        held_why="the provider asked to wait",
    )
    return priced, busy


def _write(first: Generation, second: Generation) -> None:
    now = timezone.now()
    call = Call.objects.create(
        model=first.model, generation=first, state="answered", finish="stop", status=200,
        request={"model": "gpt-of-note", "messages": [{"role": "user", "content": "x" * 90}]},
        response='{"choices": []}', reasoning="Let me count the feet.\n" * 20, text=REPLY,
        request_id=UNBROKEN, tokens_input=61, tokens_output=812, tokens_reasoning=640,
        milliseconds=8_412, cost=Decimal("0.00827"), url="https://llm.example/v1/chat/completions",
        ended_at=now,
    )  # fmt: skip
    flags = [{"rule": "near-verbatim", "reason": "These lines are nearly those of “Dawn”."}]
    for generation, of in ((first, flags), (second, [])):
        Generation.objects.filter(pk=generation.pk).update(
            status="done", reply=REPLY, title="The River", text=POEM, flags=of, answer=call,
            finished_at=now, trimmed=["cut the opening line: Certainly! Here is a poem:"],
        )  # fmt: skip
        generation.refresh_from_db()
    poem = first.brief.poem
    assert poem
    lines = [
        ["The river keeps the light", "A river keeps the light"],
        ["until it goes", "till it goes"],
    ]
    Recital.objects.create(
        generation=first, call=call, kind="near", poem=poem, lines=lines, similarity=0.93
    )


def _nothing(_page: Page) -> None: ...


def _unfold(page: Page) -> None:
    for fold in page.locator("main details > summary:visible").all():
        fold.click()


def _estimate(page: Page) -> None:
    page.locator("#id_name").fill("To be estimated")
    page.locator("#id_number").fill("3")
    for box in page.locator("[name=models]").all():
        box.check()
    page.get_by_role("button", name="Estimate").click()
    expect(page.get_by_text("What it will likely take")).to_be_visible()


def _correct_nothing(page: Page) -> None:
    page.get_by_text("Correct title or text…").click()
    page.locator("#id_reason").fill("For no reason")
    page.get_by_role("button", name="Keep the correction").click()
    expect(page.get_by_text("Nothing was changed or sent")).to_be_visible()
