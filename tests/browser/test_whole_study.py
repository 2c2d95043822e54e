"""A study from import to export, in the browser, as its people would walk it."""

import csv
import io
import os
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from backend.accounts.models import User
from backend.accounts.services import staff
from tests.letters import letters_in
from tests.services.waiting import soon

POEMS = """form,source,title,author,content,poem_link-href,year,meter_pattern,rhyme_pattern,theme,imagery
Ballad,old_book,The Reed,Secret Author One,"A reed beside the river grew,
    The river knew it not.
The wind went by, the river too,
    And both the reed forgot.",https://example.org/reed,1890,,ABCB,About a reed,reed
Limerick,old_book,The Clerk,Secret Author Two,"There once was a clerk with a quill,
Who never could keep his hand still,
He wrote day and night
By a poor candle light,
And they say he is scribbling there still.",https://example.org/clerk,1891,,AABBA,About a clerk,quill
"""  # noqa: E501  (a CSV header cannot be broken)
PASSWORD = "reed-and-river-1890"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SCALES = 10
ITEMS = 6  # two human poems, two models


@pytest.fixture
def walk(axe, shoot):
    """Check and photograph the page as it stands."""

    def check(page: Page, name: str) -> None:
        axe(page)
        shoot(page, name)
        width = page.viewport_size["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is too wide"

    return check


@pytest.mark.slow
@pytest.mark.timeout(420)
def test_a_study_runs_from_import_to_export(
    page: Page, new_context, start_worker, base_url, walk, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("BLINDVERSE_ADDRESS", base_url)  # letters say where the site is
    start_worker()
    page.set_default_timeout(15_000)
    staff("ada", User.Role.RESEARCHER, password=PASSWORD)
    _sign_in(page, walk)
    _import(page, walk, tmp_path)
    _generate(page, walk)
    _build_and_open(page, walk)
    letter = _invite_by_mail(page, walk, "First Poet", "first.poet@reader.example")
    link = _invite(page, walk, "Second Poet")
    _judge(new_context(), letter, walk, "first")
    _judge(new_context(**PHONE), link, walk, "second")
    page.goto("/studies/spring/")
    expect(page.get_by_text("12 of 12 judgments by experts are in")).to_be_visible()
    walk(page, "study-complete")
    _put_to_machine(page, walk)
    _close_and_unseal(page, walk)
    _export(page, walk, tmp_path)


def _sign_in(page: Page, walk) -> None:
    page.goto("/")
    walk(page, "start")
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    walk(page, "sign-in")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="What to do next")).to_be_visible()
    walk(page, "start-researcher")


def _import(page: Page, walk, folder: Path) -> None:
    bad, good = folder / "bad.csv", folder / "poems.csv"
    good.write_text(POEMS, encoding="utf-8")
    bad.write_text(POEMS.replace("The Clerk", ""), encoding="utf-8")
    page.goto("/corpus/")
    walk(page, "collections-empty")
    page.goto("/corpus/import/")
    walk(page, "import")
    for file in (bad, good):
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_label("Collection", exact=False).first.fill("Old poems")
        page.get_by_role("button", name=re.compile("Import")).click()
        if file is bad:
            expect(page.locator("main")).to_contain_text("title")
            expect(page.locator("main")).to_contain_text("6")  # the line of the bad row
            walk(page, "import-refused")
    expect(page.get_by_role("heading", name="Old poems")).to_be_visible()
    expect(page.get_by_text("The Clerk")).to_be_visible()
    walk(page, "collection")
    page.get_by_role("link", name="The Reed").click()
    walk(page, "poem-of-the-corpus")


def _generate(page: Page, walk) -> None:
    page.goto("/generation/")
    page.get_by_role("link", name=re.compile("New run|Start", re.I)).first.click()
    page.get_by_label("Name").fill("First run")
    page.get_by_label("Collection:").select_option(label="Old poems")
    page.get_by_role("checkbox", name=re.compile("ngram-2")).check()
    page.get_by_role("checkbox", name=re.compile("ngram-4")).check()
    walk(page, "run-new")
    page.get_by_role("button", name=re.compile("Start")).click()
    # The page follows the worker by itself.
    done = page.locator('[data-row="all"] [data-count="done"]')
    expect(done).to_have_text("4", timeout=60_000)
    walk(page, "run-done")


def _build_and_open(page: Page, walk) -> None:
    page.goto("/studies/")
    walk(page, "studies-empty")
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Title:", exact=True).fill("Spring")
    page.get_by_label("Contact").fill("ada@example.org")
    page.get_by_label("Human poems").select_option(label="Old poems")
    page.get_by_label("First run").check()
    page.get_by_role("checkbox", name=re.compile("ngram-2")).check()
    page.get_by_role("checkbox", name=re.compile("ngram-4")).check()
    page.get_by_label("Two texts on one brief").select_option("last")
    page.get_by_label("Poems in a batch").fill("3")
    walk(page, "study-new")
    page.get_by_role("button", name="Build the draft").click()
    page.get_by_role("link", name="See what will be shown").click()
    expect(page.get_by_text("Poem 1 of 6")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("Secret Author")
    walk(page, "preview")
    page.goto("/studies/spring/surface/")
    page.get_by_role("button", name="Make the surface check").click()
    expect(page.get_by_text("There is no figure: too few human texts")).to_be_visible()
    page.goto("/studies/spring/")
    walk(page, "study-draft")
    page.get_by_text("Open the study…").click()
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_text("The study is open")).to_be_visible()


def _invite_by_mail(page: Page, walk, name: str, address: str) -> str:
    """Return the link as it stands in the letter that the worker sent."""
    page.goto("/studies/spring/panel/")
    walk(page, "panel-empty")
    one = page.locator("form").filter(has=page.get_by_role("heading", name="One expert"))
    one.get_by_label("Name").fill(name)
    one.get_by_label("Email").fill(address)
    one.get_by_label("Send the invitation by e-mail").check()
    one.get_by_role("button", name="Invite").click()
    expect(page.get_by_text("their invitation is on its way")).to_be_visible()
    shown = page.get_by_label("Personal link").input_value()
    page.goto("/studies/spring/panel/")
    experts = page.get_by_role("region", name="Table: experts")

    def sent() -> bool:
        page.reload()
        return experts.get_by_text(re.compile(r"invitation, \d+ \w+, \d+:\d+")).count() == 1

    assert soon(sent)
    walk(page, "panel")
    letters = letters_in(Path(os.environ["BLINDVERSE_DATA"]) / "mail")
    (words,) = [letter.get_content() for letter in letters if letter["To"] == address]
    assert f"Dear {name}," in words
    (link,) = re.findall(r"^(http\S+/invitation/[^/\s]+/)$", words, re.M)
    assert link == shown
    return str(link)


def _invite(page: Page, walk, name: str) -> str:
    page.goto("/studies/spring/panel/")
    page.get_by_label("Name:").fill(name)
    page.get_by_role("button", name="Invite", exact=True).click()
    address = page.get_by_label("Personal link").input_value()
    walk(page, "link")
    return address


def _judge(context: BrowserContext, link: str, walk, who: str) -> None:
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.goto(link)
    walk(page, f"{who}-desk")
    page.get_by_role("link", name="Read about taking part").click()
    walk(page, f"{who}-consent")
    page.get_by_label("I have read this and agree to take part.").check()
    page.get_by_role("button", name="Go on").click()
    walk(page, f"{who}-background")
    page.get_by_label("I write poems").check()
    page.get_by_role("button", name="Go on").click()
    for item in range(ITEMS):
        if item % 3 == 0:
            page.get_by_role("button", name=re.compile("^(Start|Judge more poems)$")).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Poem")
        if item == 0:
            _refuse_and_resume(page, walk, who)
        _answer(page, point=1 + (item + len(who)) % 5)
        if item == 1:
            walk(page, f"{who}-poem-answered-in-full")
        with page.expect_navigation():
            page.get_by_role("button", name="Submit and go on").click()
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("Poem 6")
    walk(page, f"{who}-done")
    context.close()


def _refuse_and_resume(page: Page, walk, who: str) -> None:
    """Nothing typed is lost: not by an early submit, not by leaving."""
    page.locator("textarea").first.fill("A comment,\nin two lines.")
    page.get_by_role("button", name="Submit and go on").click()
    expect(page.get_by_role("alert")).to_contain_text("10 questions")
    walk(page, f"{who}-refused")
    page.locator("#answers input[type=radio][value='2']").first.check()
    expect(page.locator("#saved")).to_contain_text("aved", timeout=20_000)
    page.goto(page.url)
    expect(page.locator("textarea").first).to_have_value("A comment,\nin two lines.")
    expect(page.locator("#answers input[type=radio][value='2']").first).to_be_checked()


def _answer(page: Page, *, point: int) -> None:
    scales = page.locator("#answers fieldset").filter(
        has=page.locator(f"input[type=radio][value='{point}']")
    )
    assert scales.count() == SCALES
    for scale in scales.all():
        scale.locator(f"input[type=radio][value='{point}']").check()


def _put_to_machine(page: Page, walk) -> None:
    page.get_by_role("link", name="Put it to language models").click()
    page.get_by_role("checkbox", name=re.compile("baseline-judge")).check()
    page.get_by_role("button", name="Start judging").click()
    # The page follows the worker by itself.
    expect(page.locator('[data-count="done"]')).to_have_text(str(ITEMS), timeout=60_000)
    expect(page.locator("script[src*='progress.js']")).to_have_count(0, timeout=20_000)
    walk(page, "machine-judges")


def _close_and_unseal(page: Page, walk) -> None:
    page.goto("/studies/spring/results/")
    expect(page.locator("main")).to_contain_text("sealed")
    page.goto("/studies/spring/")
    page.get_by_text("Close the study…").click()
    page.get_by_role("button", name="Close the study").click()
    page.get_by_text("Unseal the key…").click()
    walk(page, "study-closed")
    page.get_by_role("button", name="Unseal the key in my name").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("Results|Spring"))
    for word in ("PAo", "ROC-AUC", "Wilcoxon", "ngram-2", "ngram-4", "human"):
        expect(page.locator("main")).to_contain_text(word)
    walk(page, "results")


def _export(page: Page, walk, folder: Path) -> None:
    page.goto("/studies/spring/export/")
    walk(page, "export")
    with page.expect_download() as started:
        page.get_by_role("button", name=re.compile("Download", re.I)).click()
    started.value.save_as(folder / "spring.zip")
    with zipfile.ZipFile(folder / "spring.zip") as package:
        ratings = list(csv.DictReader(io.StringIO(package.read("ratings.csv").decode("utf-8-sig"))))
        everything = b"".join(package.read(name) for name in package.namelist()).decode()
    # 6 items, 13 questions, two experts and a machine
    assert len(ratings) == ITEMS * 13 * 3
    assert "A reed beside the river grew,\n    The river knew it not." in everything
    assert "First Poet" not in everything
