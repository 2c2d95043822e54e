"""A coordinator builds a study in a browser: the counts follow, and the checklist turns green."""

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from annotation.studies.models import Study
from tests.backend.design.material import material
from tests.studies import coordinator

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def signed_in(page: Page, base_url: str) -> Page:
    client = Client()
    client.force_login(coordinator())
    name = settings.SESSION_COOKIE_NAME
    context: BrowserContext = page.context
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": base_url}])
    return page


def chosen(page: Page) -> None:
    page.goto("/studies/new/?method=pairs")
    page.locator("#id_collection").select_option(index=1)
    for box in ("runs", "models"):
        for one in page.locator(f"input[name={box}]").all():
            one.check()


def test_counts_follow_what_is_chosen(signed_in, axe, shoot):
    material()
    page = signed_in
    chosen(page)
    expect(page.locator("[data-count=items]")).to_have_text("6")
    expect(page.locator("[data-count=judgments]")).to_have_text("18")
    page.locator("#id_judges_per_item").fill("4")
    expect(page.locator("[data-count=judgments]")).to_have_text("24")
    page.get_by_text("Panels of their own").click()
    page.get_by_text("Tests of attention…").click()
    axe(page)
    shoot(page, "builder")


def test_a_study_is_opened_once_nothing_on_its_checklist_stands_against_it(signed_in, axe, shoot):
    material()
    page = signed_in
    chosen(page)
    page.locator("#id_title").fill("Spring")
    page.locator("#id_contact").fill("kim@example.org")
    page.get_by_role("button", name="Build the draft").click()
    expect(page.get_by_text("to do first")).to_have_count(2)
    axe(page)
    shoot(page, "study-checklist")
    page.get_by_role("link", name="Preview").click()
    page.get_by_role("link", name="Spring").click()
    page.locator(".checks").get_by_role("link", name="Surface check").first.click()
    page.get_by_role("button", name="Make the surface check").click()
    axe(page)
    shoot(page, "surface")
    page.get_by_role("link", name="Spring").click()
    expect(page.get_by_text("to do first")).to_have_count(0)
    page.get_by_text("Open the study…").click()
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_text("The study is open")).to_be_visible()
    expect(page.get_by_role("heading", name="Versions")).to_be_visible()
    axe(page)
    assert Study.objects.get().versions.count() == 1
