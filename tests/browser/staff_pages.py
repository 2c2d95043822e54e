"""The pages on which a study is built, followed, closed and unsealed, each in its states."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle

from playwright.sync_api import Page, expect

from annotation.activity.sealing import seal
from annotation.judgments.services import submit
from annotation.studies import amending
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.accounts.models import User
from backend.api import services as tokens
from backend.design import opening, unsealing
from backend.design import services as design
from backend.design.pilot import try_out
from backend.design.planning import AttentionPlan, Exclusions, GroupPlan
from backend.generation import catalogue
from backend.generation.models import Call, LanguageModel
from backend.hooks import services as hooks
from backend.hooks.models import Delivery, Hook
from backend.panel.raising import raise_places
from tests.annotation.panel import LIKERT, expert
from tests.backend.design.material import Material, draft, material
from tests.browser import run_pages
from tests.studies import coordinator, researcher

UNHURRIED = 60_000  # milliseconds over a poem
ATTENTION = cycle("5")
METHODS = ("poemetric", "proftap", "pairs")


@dataclass(frozen=True)
class Stop:
    """A page in one of its states: who comes to it, where it is, and what is done there."""

    name: str
    user: User
    address: str
    then: Callable[[Page], None] = lambda _page: None


def stops() -> Iterator[Stop]:
    """Yield every page, each study as it is when its page is to be visited."""
    kim, vera, wim = coordinator(), researcher(), researcher("wim")
    made = material(poems=12)
    yield from _building(kim, made)
    yield from _open(kim, vera, _running(made, "Open", by=kim))
    yield from _closed(vera, _running(made, "Closed", by=kim), other=wim)
    yield from _language_models(vera)
    for name, address, then in run_pages.visits(vera, made.collection):
        yield Stop(name, vera, address, then)
    tokens.make(kim, name="notebook", scopes=["studies:read", "panel:read"], days=90)
    yield Stop("tokens", kim, "/account/tokens/")
    yield Stop("token-made", kim, "/account/tokens/", _make_token)
    yield Stop("api", kim, "/api/v1/docs/", _unfold)


def _building(kim: User, made: Material) -> Iterator[Stop]:
    yield Stop("new", kim, "/studies/new/")
    for method in METHODS:
        yield Stop(f"new-{method}", kim, f"/studies/new/?method={method}", _unfold)
    yield Stop("new-refused", kim, "/studies/new/", _refused)
    bare = _study(made, "Bare")
    yield Stop("draft", kim, f"/studies/{bare.slug}/", _unfold)
    yield Stop("surface-none", kim, f"/studies/{bare.slug}/surface/")
    checked = _study(made, "Checked")
    _look_at(checked, by=kim)
    yield Stop("draft-checked", kim, f"/studies/{checked.slug}/", _unfold)
    yield Stop("surface", kim, f"/studies/{checked.slug}/surface/")
    yield Stop("preview", kim, f"/studies/{checked.slug}/preview/")
    pilot = try_out(checked, briefs=2, by=kim)
    yield Stop("pilot", kim, f"/studies/{pilot.slug}/")
    yield from (
        Stop(f"draft-{page.replace('/', '-')}", kim, f"/studies/{checked.slug}/{page}/")
        for page in ("ledger", "ledger/care", "panel", "activity", "hooks")
    )


def _open(kim: User, vera: User, study: Study) -> Iterator[Stop]:
    at = f"/studies/{study.slug}/"
    hook = Hook.objects.create(
        study=study, url="https://host.example/a/rather/long/address/of/a/receiver",
        secret="whsec_eA==", events=["judgment.submitted", "study.closed"], made_by=kim,
    )  # fmt: skip
    Delivery.objects.create(
        hook=hook, event="ping", answered=4, places=9, status="failed", error="It does not answer."
    )
    hooks.stop(Hook.objects.create(study=study, url="https://b.example/", secret="whsec_eA=="))
    seal()
    unsealing.look(study, by=vera, reason="To see whether the scales are used.")
    yield Stop("open", vera, at, _unfold)
    for page in ("ledger", "ledger/care", "panel", "activity", "hooks", "surface"):
        yield Stop(f"open-{page.replace('/', '-')}", kim, f"{at}{page}/", _unfold)
    for judge in study.judges.all():
        who = judge.name.split()[0].lower()
        yield Stop(f"part-of-{who}", kim, f"{at}panel/{judge.code}/part/", _unfold)
    yield Stop("hook-made", kim, f"{at}hooks/", _add_hook)
    yield Stop("results-sealed", vera, f"{at}results/")
    yield Stop("interim-look", vera, f"{at}results/", _look_once)
    yield Stop("unsealing-open", vera, f"{at}unsealing/")


def _closed(vera: User, study: Study, *, other: User) -> Iterator[Stop]:
    at = f"/studies/{study.slug}/"
    unsealing.look(study, by=vera, reason="To see whether the scales are used.")
    design.close(study, by=vera)
    yield Stop("closed", vera, at, _unfold)
    yield Stop("closed-ledger", vera, f"{at}ledger/")
    yield Stop("closed-panel", vera, f"{at}panel/")
    yield Stop("unsealing-closed", vera, f"{at}unsealing/")
    unsealing.ask(study, by=other, reason="All are in.")
    yield Stop("unsealing-second", vera, f"{at}unsealing/")
    yield Stop("unsealing-mine", other, f"{at}unsealing/")
    unsealing.ask(study, by=vera, reason="I agree.")
    for page in ("", "results/", "export/", "unsealing/", "activity/"):
        yield Stop(f"unsealed-{page.strip('/') or 'study'}", vera, at + page, _unfold)


def _language_models(vera: User) -> Iterator[Stop]:
    at = "/generation/"
    yield Stop("providers-none", vera, f"{at}providers/")
    yield Stop("catalogue", vera, f"{at}models/catalogue/")
    catalogue.add((one, next(iter(one.at), "")) for one in catalogue.papers()[1].models)
    model = LanguageModel.objects.get(name="GPT-4-1106-preview")
    LanguageModel.objects.filter(pk=model.pk).update(
        price_input=10, price_output=30, priced_on="2026-11-01", tokens_a_minute=90_000
    )
    call = Call.objects.create(
        model=model, state="failed", request={"model": model.model_id}, error_kind="no key",
        url="https://api.openai.com/v1/chat/completions", error="The variable is not set.",
    )  # fmt: skip
    Call.objects.filter(pk=call.pk).update(response="x" * 400)
    provider = model.provider_id
    yield Stop("catalogue-there", vera, f"{at}models/catalogue/")
    yield Stop("models", vera, f"{at}models/")
    yield Stop("model", vera, f"{at}models/{model.pk}/?test={call.pk}", _unfold)
    yield Stop("model-new", vera, f"{at}models/new/")
    yield Stop("model-delete", vera, f"{at}models/{model.pk}/delete/")
    yield Stop("providers", vera, f"{at}providers/")
    yield Stop("provider", vera, f"{at}providers/{provider}/")
    yield Stop("provider-delete", vera, f"{at}providers/{provider}/delete/")


def _study(made: Material, title: str) -> Study:
    """Return a draft that uses whatever a design can have."""
    return draft(
        made,
        title=title,
        judges_per_item=2,
        batch_size=6,
        twins=Study.Twins.LAST,
        groups=(GroupPlan("Ballads", 2, forms=("ballad",)),),
        attention=(AttentionPlan("Choose 5 throughout.", dict.fromkeys(LIKERT, 5)),),
        attention_every=4,
        repeats=1,
        exclusions=Exclusions(seconds_per_line=0.5, failed_attention=1),
        analysis_plan="We compare means,\n  two-sided, at 0.05.",
        interim_looks=True,
        unsealing_needs=2,
        debriefs=True,
    )


def _look_at(study: Study, *, by: User) -> None:
    opening.previewed(study)
    opening.check_surface(study, by=by)
    opening.allow_surface(study, limit=0.6, reason="The sample is told by its length.")


def _running(made: Material, title: str, *, by: User) -> Study:
    """Return an open study with all sorts of experts, and a higher K than at first."""
    study = _study(made, title)
    _look_at(study, by=by)
    opening.open_study(study, by=by, after_looking=True)
    raise_places(study, 3, group=study.groups.get(), reason="More judges were found.", by=by)
    _answer(expert(study, "Ada Reader"), cycle("12345"))
    _answer(expert(study, "Ben Quill"), cycle("3342"))
    _answer(expert(study, "Cyd Line"), cycle("2514"), attentive=False)
    straight = expert(study, "Dora Straight")
    _answer(straight, cycle("3"))
    amending.withdraw(straight, "The same answer throughout.", by=by.username)
    leaver = expert(study, "Eve Leaver")
    ledger.deal(leaver)
    amending.replace(leaver, name="Finn Instead", email="finn@reader.example")
    expert(study, "Gus Invited", agreed=False)
    return study


def _answer(judge: Judge, points: Iterable[str], *, attentive: bool = True) -> None:
    """Answer a batch, the last of it too fast; a test of attention as it asks, or not."""
    ledger.deal(judge)
    given = iter(points)
    waiting = list(Assignment.objects.of(judge).in_order())
    for assignment in waiting:
        tests = assignment.purpose == Assignment.Purpose.ATTENTION
        told = ATTENTION if tests and attentive else given
        answers = {question: next(told) for question in LIKERT}
        hurried = assignment == waiting[-1]
        submit(assignment, answers, milliseconds=100 if hurried else UNHURRIED)


def _unfold(page: Page) -> None:
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def _refused(page: Page) -> None:
    page.locator("#id_title").fill("Spring")
    page.locator("#id_contact").fill("kim@example.org")
    page.locator("#id_collection").select_option(index=1)
    page.locator("#id_recognised").fill("9")
    page.get_by_role("button", name="Build the draft").click()
    problem = page.get_by_role("alert").get_by_role("link", name="Leave out judgments of poems")
    problem.click()
    expect(page.locator("#id_recognised")).to_be_in_viewport()


def _make_token(page: Page) -> None:
    page.get_by_label("Name").fill("nightly")
    page.locator("[name=scopes]").first.check()
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_role("heading", name="“nightly” is made")).to_be_visible()


def _add_hook(page: Page) -> None:
    page.get_by_text("Add a hook…").click()
    # Whoever visits in another window adds another one.
    page.get_by_label("Address").fill(f"http://127.0.0.1:9/{page.viewport_size['width']}")
    page.locator("[name=events]").first.check()
    page.get_by_role("button", name="Add the hook").click()
    expect(page.get_by_role("textbox", name="Secret")).to_be_visible()


def _look_once(page: Page) -> None:
    page.get_by_label("Why do you look now?").fill("To see whether the scales are used.")
    page.get_by_role("button", name="Look once").click()
    expect(page.get_by_text("This is interim look")).to_be_visible()
