"""What gave way to other answers is put aside, offered, and never dropped."""

import pytest
from playwright.sync_api import expect

from annotation.judgments.models import Draft
from annotation.studies import services as ledger
from annotation.studies.links import link_for
from annotation.studies.models import Assignment
from tests.annotation.panel import expert, open_study
from tests.browser.begun import PROMISE, loud, quiet, ready
from tests.browser.typing import WAYS, typed
from tests.services.waiting import soon

pytestmark = pytest.mark.browser
COMMENT = next(way for way in WAYS if way.name == "comment")


def test_two_tabs_offline_that_die_lose_neither(visitor, begin) -> None:
    context, begun = visitor(), begin(COMMENT)
    first, second = begun.open(context), begun.open(context)
    context.set_offline(True)
    first.locator("textarea").fill("A whole paragraph.")
    first.clock.run_for(PROMISE)
    # Tabs tell each other what they keep within milliseconds, before anybody could have gone over.
    assert soon(lambda: "A whole paragraph." in second.evaluate("JSON.stringify(localStorage)"))
    second.locator("textarea").fill("B")
    second.clock.run_for(PROMISE)
    first.close(run_before_unload=False)
    second.close()
    context.set_offline(False)
    third = begun.open(context)
    assert typed(third) == {"asked": "B"}
    third.clock.run_for(PROMISE)
    # What a tab sends when it is closed may get through, although the line of its page is cut.
    keep = third.get_by_role("button", name="Keep these")
    saved = Draft.objects.filter(answers={"asked": "B"})
    assert soon(lambda: keep.is_visible() or saved.exists())
    if keep.is_visible():
        keep.click()
    assert soon(saved.exists)
    third.get_by_role("button", name="Bring back what was here").click()
    assert typed(third) == {"asked": "A whole paragraph."}
    third.clock.run_for(PROMISE)
    third.get_by_role("button", name="Bring back what was here").click()
    assert typed(third) == {"asked": "B"}


def test_going_on_and_bringing_back_drop_nothing_of_two_devices(visitor, base_url) -> None:
    study = open_study(instrument="recognised-probability", items=1, batch=1)
    judge = expert(study)
    ledger.deal(judge)
    key = link_for(judge).secret
    token = Assignment.objects.get(judge=judge).token
    address = f"{base_url}/desk/{key}/poem/{token}/"

    def opened(context):
        page = context.new_page()
        page.goto(address)
        ready(page)
        return page

    one, two = opened(visitor()), opened(visitor())

    def fill(page, comment):
        page.locator("input[name=recognition][value='0']").check()
        page.locator("input[name=overall_quality][value='4']").check()
        page.locator("input[name=emotional_resonance][value='2']").check()
        page.locator("textarea[name=quality_comment]").fill(comment)
        page.clock.run_for(PROMISE)

    fill(one, "on the tablet")
    quiet(one)
    fill(two, "late")
    loud(two, "choose")
    two.get_by_role("button", name="Keep these").click()
    quiet(two)
    one.get_by_role("button", name="Fix these answers and go on").click()
    loud(one, "Not submitted: newer answers")
    assert Draft.objects.get().stages_fixed == 0
    one.get_by_role("button", name="Load the newer answers").click()
    with one.expect_navigation():
        one.get_by_role("button", name="Fix these answers and go on").click()
    expect(one.locator("[data-probability]")).to_be_visible()
    two.locator("textarea[name=quality_comment]").fill("too late, alas")
    two.clock.run_for(PROMISE)
    loud(two, "You have gone on")
    two.reload()
    ready(two)
    two.locator("input.typed").fill("0.7")
    two.keyboard.press("Tab")
    two.get_by_role("button", name="Bring back what was here").click()
    rest = two.locator("#rest textarea")
    expect(rest).to_be_focused()
    assert "too late, alas" in rest.input_value()
    assert two.locator("input.typed").input_value() == "0.7"
    two.clock.run_for(PROMISE)
    quiet(two)


def test_another_language_loses_nothing_that_is_typed_about_oneself(visitor, base_url) -> None:
    key = link_for(expert(open_study())).secret
    page = visitor().new_page()
    page.goto(f"{base_url}/desk/{key}/about-you/")
    page.locator("main textarea").fill("Une amie")
    page.locator("main input[type=checkbox]").first.check()
    page.locator("#settings summary").click()
    page.locator("#language").select_option("zh-hans")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.locator("main textarea")).to_have_value("Une amie")
    expect(page.locator("main input[type=checkbox]").first).to_be_checked()
    page.locator("main button[type=submit]").click()
    page.wait_for_url("**/desk/*/")
    assert page.evaluate("Object.keys(sessionStorage)") == []
