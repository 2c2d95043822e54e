"""A poem given to an expert, and what its page says: for the tests of what is typed there."""

import re
from dataclasses import dataclass

from playwright.sync_api import BrowserContext, Page, expect

from annotation.judgments.models import Draft, Judgment
from annotation.studies.models import Assignment
from tests.browser.typing import Given, typed

DRAFTS, JUDGMENTS = "**/draft/", "**/judgment/"
MINUTE = 60_000  # milliseconds
PROMISE = 2000  # milliseconds within which a change is saved
SAVED = re.compile(r"^Saved \d\d:\d\d$")


@dataclass(frozen=True)
class Begun:
    """A poem given to an expert, who has nothing but a personal link."""

    assignment: Assignment
    link: str
    desk: str

    @property
    def address(self) -> str:
        return f"{self.desk}poem/{self.assignment.token}/"

    def open(self, context: BrowserContext) -> Page:
        """Open the poem in a new tab."""
        page = context.new_page()
        page.goto(self.address)
        ready(page)
        return page

    def come_back(self, context: BrowserContext) -> Page:
        """Open the personal link in a new tab, and go on from there."""
        page = context.new_page()
        page.goto(self.link)
        page.get_by_role("button", name=re.compile("^(Start|Continue)$")).click()
        expect(page).to_have_url(self.address)
        ready(page)
        return page

    def draft(self) -> Draft:
        return Draft.objects.get(assignment=self.assignment)

    def kept(self, page: Page, given: Given) -> None:
        """Assert that the server's draft is what the page shows, and that it was given so."""
        answers = self.draft().answers
        assert answers == typed(page)
        assert answers.items() >= given.fields.items()

    def judged(self, given: Given) -> None:
        """Assert that there is one judgment, and that it says what was given."""
        judgment = Judgment.objects.get(assignment=self.assignment)
        assert not judgment.extra
        assert list(judgment.ratings.values_list("number", "text", "blank")) == [given.rating]


def ready(page: Page) -> None:
    """Wait until the page's script has come to life."""
    expect(page.locator("#saved")).not_to_be_empty()


def quiet(page: Page) -> None:
    """Wait until the page says, without raising its voice, that all is saved."""
    expect(page.locator("#saved:not(.loud)")).to_have_text(SAVED)


def loud(page: Page, words: str) -> None:
    expect(page.locator("#saved.loud")).to_contain_text(words)


def save(page: Page, given: Given) -> None:
    """Give an answer and wait until the server has confirmed it, within what is promised."""
    with page.expect_response(DRAFTS) as reply:
        given.type(page)
        page.clock.run_for(PROMISE)
    assert reply.value.status == 200
    quiet(page)


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit and go on").click()
