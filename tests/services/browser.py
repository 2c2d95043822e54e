"""Finds the browser that walks the pages; ``python -m tests.services.browser`` names it."""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
OPTIONS = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No name but this machine's resolves: nothing that a page asks for can come from elsewhere.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
)


class NoBrowser(RuntimeError):
    """No Chromium could be found."""


def find() -> Path:
    """Return the browser of this machine: the one named, the one installed, or Playwright's own."""
    if named := os.environ.get("BROWSER_PATH"):
        if not Path(named).is_file():
            raise NoBrowser(f"BROWSER_PATH is {named!r}, where no program is")
        return Path(named)
    for name in NAMES:
        if program := shutil.which(name):
            return Path(program)
    for application in APPLICATIONS:
        if Path(application).is_file():
            return Path(application)
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    if own.is_file():
        return own
    raise NoBrowser(
        "no Chromium found: install one (`make test` does), name one with BROWSER_PATH, or leave "
        'the browser out with -m "not browser"'
    )


def options() -> list[str]:
    """Return the command line options the tests start it with."""
    # Chromium refuses its own sandbox to root.
    return [*OPTIONS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{find()}\n")
    except NoBrowser as problem:
        sys.exit(str(problem))
