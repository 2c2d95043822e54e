"""Every page an expert can come to, each with the way there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.judgments import leaving
from annotation.judgments.services import fix_stage, save_draft
from annotation.studies import links
from annotation.studies.consenting import agree, publish, wording_for
from annotation.studies.models import Assignment, Judge, Study
from tests.browser.desk_studies import (
    ANSWERS,
    CHINESE,
    CONSENT,
    LONG_LINES,
    PROMISE,
    STAGE,
    TYGER,
    desk_study,
    invited,
    nothing_left,
    poem,
    reading,
    ready,
)
from tests.studies import make_study


@dataclass(frozen=True)
class Stop:
    """One page: its name, its address, and what is done there before it is looked at."""

    name: str
    address: str
    then: Callable[[Page], object] = lambda page: None


def stops() -> Iterator[Stop]:
    """Make what the pages show, and yield them all."""
    study = desk_study("reeds", promise=PROMISE, honorarium="60 euros for each set of ten poems")
    yield from _coming(study)
    yield from _at_the_desk(study)
    yield from _reading()
    yield from _answered(study)
    yield from _leaving(study)
    yield from _dead_ends(study)


def _coming(study: Study) -> Iterator[Stop]:
    _, key = invited(study)
    yield Stop("consent", f"/desk/{key}/consent/")
    yield Stop("consent-refused", f"/desk/{key}/consent/", _press("Go on"))
    judge, key = reading(study, answered=1)
    yield Stop("consent-agreed", f"/desk/{key}/consent/")
    told = desk_study("told", asks_background=True)
    _, key = ready(told)
    yield Stop("background-told", f"/desk/{key}/about-you/")
    judge, key = invited(told)
    agree(judge, wording=wording_for(told, "en"), promised=True)
    yield Stop("background", f"/desk/{key}/about-you/")
    yield Stop("desk-background", f"/desk/{key}/")
    changed = desk_study("changed")
    judge, key = reading(changed, answered=1)
    publish(changed, {"en": f"{CONSENT}\n\nNew: poems may be read aloud."})
    yield Stop("desk-newer-consent", f"/desk/{key}/")
    yield Stop("consent-newer", f"/desk/{key}/consent/")
    secret = links.open_secret(links.open_link(study, quota=9))
    yield Stop("join", f"/join/{secret}/")
    yield Stop("join-refused", f"/join/{secret}/", _press("Get my personal link"))
    yield Stop("joined", f"/join/{secret}/", _join)


def _at_the_desk(study: Study) -> Iterator[Stop]:
    _, key = invited(study)
    yield Stop("desk-consent", f"/desk/{key}/")
    yield Stop("answers-none", f"/desk/{key}/answers/")
    yield Stop("certificate-none", f"/desk/{key}/certificate/")
    yield Stop("no-consent", f"/desk/{key}/", _post(f"/desk/{key}/next/"))
    _, key = ready(study)
    yield Stop("desk-ready", f"/desk/{key}/")
    _, key = reading(study, answered=1)
    yield Stop("desk-begun", f"/desk/{key}/")
    _, key = reading(study, answered=2)
    yield Stop("desk-set-done", f"/desk/{key}/")
    done = desk_study("done", poems=(TYGER,))
    _, key = reading(done, answered=1)
    yield Stop("desk-all-done", f"/desk/{key}/")
    nothing_left(done)
    _, key = ready(done)
    yield Stop("desk-nothing-left", f"/desk/{key}/")
    draft = desk_study("draft", state=Study.State.DRAFT, fingerprint="")
    _, key = invited(draft)
    yield Stop("desk-draft", f"/desk/{key}/")


def _reading() -> Iterator[Stop]:
    for instrument in ANSWERS:
        poems = CHINESE if instrument.endswith("-zh") else (LONG_LINES, TYGER)
        judge, key = reading(desk_study(instrument, instrument, poems=poems))
        yield Stop(f"poem-{instrument}", poem(judge, key))
    study = desk_study("stages")
    judge, key = reading(study)
    yield Stop("poem-refused", poem(judge, key), _refused)
    yield Stop("poem-settings", poem(judge, key), lambda page: page.click("#settings > summary"))
    yield Stop("poem-newer", poem(judge, key, 1), _newer(judge))
    judge, key = reading(study)
    fix_stage(Assignment.objects.of(judge).in_order()[0], STAGE, stage=0)
    yield Stop("poem-second-stage", poem(judge, key))


def _answered(study: Study) -> Iterator[Stop]:
    judge, key = reading(study, answered=1)
    yield Stop("answered", poem(judge, key))
    yield Stop("change", f"{poem(judge, key)}change/")
    yield Stop("answers", f"/desk/{key}/answers/")
    yield Stop("certificate-honorarium", f"/desk/{key}/certificate/")
    judge, key = reading(desk_study("certified"), answered=1)
    yield Stop("certificate", f"/desk/{key}/certificate/")
    closed = make_study(slug="debriefed", unblinded=True)
    Study.objects.filter(pk=closed.pk).update(state=Study.State.OPEN)
    key = links.link_for(Judge.objects.filter(study=closed).select_related("study")[0]).secret
    Study.objects.filter(pk=closed.pk).update(
        state=Study.State.CLOSED, debrief_at=datetime(2026, 4, 2, tzinfo=UTC)
    )
    yield Stop("debrief", f"/desk/{key}/debrief/")


def _leaving(study: Study) -> Iterator[Stop]:
    judge, key = reading(desk_study("leaving"), answered=1)
    yield Stop("leave", f"/desk/{key}/leave/")
    yield Stop("leave-unsure", f"/desk/{key}/leave/", _press("Delete everything"))
    judge, key = reading(desk_study("pausing"), answered=1)
    leaving.pause(judge)
    yield Stop("desk-paused", f"/desk/{key}/")
    yield Stop("leave-paused", f"/desk/{key}/leave/")
    yield Stop("not-taking-part", f"/desk/{key}/", _post(f"/desk/{key}/next/"))
    judge, key = reading(desk_study("leavers"), answered=1)
    leaving.stop(judge)
    yield Stop("desk-left", f"/desk/{key}/")
    judge, _ = reading(study, answered=1)
    yield Stop("deleted", f"/deleted/{leaving.to_token(leaving.delete(judge))}/")


def _dead_ends(study: Study) -> Iterator[Stop]:
    yield Stop("stale-link", "/invitation/AAAA/")
    _, key = invited(study)
    yield Stop("nothing-here", f"/desk/{key}/poem/AAAA/")
    yield Stop("nowhere", "/desk/")
    secret = links.open_secret(links.open_link(study, quota=1))
    links.join(links.opened(str(secret)), name="First come")
    yield Stop("full", f"/join/{secret}/", _join)
    closed = desk_study("closed")
    judge, key = reading(closed, answered=1)
    Study.objects.filter(pk=closed.pk).update(state=Study.State.CLOSED, closed_at=timezone.now())
    yield Stop("desk-closed", f"/desk/{key}/")
    yield Stop("answers-closed", f"/desk/{key}/answers/")
    yield Stop("answered-closed", poem(judge, key))
    yield Stop("not-open", f"/desk/{key}/", _post(f"/desk/{key}/next/"))


def _press(button: str) -> Callable[[Page], None]:
    def press(page: Page) -> None:
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_load_state()
        expect(page.get_by_role("alert").or_(page.locator(".errorlist")).first).to_be_visible()

    return press


def _post(address: str) -> Callable[[Page], None]:
    """Send what a page that was left open in a tab would send."""

    def send(page: Page) -> None:
        with page.expect_navigation():
            page.evaluate(
                "action => { const form = document.createElement('form');"
                " Object.assign(form, { method: 'post', action });"
                " document.body.append(form); form.submit(); }",
                address,
            )

    return send


def _join(page: Page) -> None:
    page.get_by_label("Your name").fill("Maya Reader")
    with page.expect_navigation():
        page.get_by_role("button", name="Get my personal link").click()


def _refused(page: Page) -> None:
    page.get_by_role("button", name="Fix these answers and go on").click()
    expect(page.locator("#problems li").first).to_be_visible()


def _newer(judge: Judge) -> Callable[[Page], None]:
    """Let another device save other answers while this page is open."""

    def meet(page: Page) -> None:
        assignment = Assignment.objects.of(judge).in_order()[1]
        version = assignment.draft.version if hasattr(assignment, "draft") else 0
        save_draft(assignment, {"recognition": "2", "overall_quality": "5"}, version=version)
        page.locator("#answers input[name=recognition][value='0']").check()
        expect(page.locator("#newer")).to_be_visible()
        page.locator("#theirs summary").click()

    return meet
