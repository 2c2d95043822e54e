"""The browser's watch notices what it is there to notice."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page


def test_a_health_check_is_shown_without_complaint(page: Page) -> None:
    page.goto("/healthz")

    assert "ok" in page.inner_text("body")


def _heard(complaints: list[str], pattern: str) -> bool:
    """Whether there was such a complaint; takes all complaints out."""
    found = any(re.search(pattern, complaint) for complaint in complaints)
    complaints.clear()
    return found


def test_an_error_in_a_script_is_noticed(page: Page, complaints: list[str]) -> None:
    page.goto("/healthz")
    page.evaluate("setTimeout(() => { throw new Error('spilt ink') })")
    page.wait_for_timeout(100)

    assert _heard(complaints, "uncaught: .*spilt ink")


def test_a_console_error_is_noticed(page: Page, complaints: list[str]) -> None:
    page.goto("/healthz")
    page.evaluate("console.error('spilt ink')")

    assert _heard(complaints, "console: spilt ink")


def test_a_request_to_another_host_is_noticed(page: Page, complaints: list[str]) -> None:
    page.set_content("<img src='http://elsewhere.test/poem.png'>")

    assert _heard(complaints, "another host: http://elsewhere.test/poem.png")


def test_what_the_content_security_policy_refuses_is_noticed(
    page: Page, complaints: list[str]
) -> None:
    page.goto("/healthz")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('style'),"
        " {textContent: 'body { color: red }'}))"
    )

    assert _heard(complaints, "Content Security Policy")


def test_a_missing_style_sheet_is_noticed(page: Page, complaints: list[str]) -> None:
    page.goto("/healthz")
    page.evaluate(
        "document.head.append(Object.assign(document.createElement('link'),"
        " {rel: 'stylesheet', href: '/static/nowhere.css'}))"
    )
    page.wait_for_load_state("networkidle")

    assert _heard(complaints, "404 from .*nowhere.css")


def test_a_picture_without_words_is_a_barrier(page: Page, axe: Callable[[Page], None]) -> None:
    page.set_content("<html lang=en><title>A page</title><img src='data:image/gif;base64,R0lGOD'>")

    with pytest.raises(AssertionError, match="image-alt"):
        axe(page)
