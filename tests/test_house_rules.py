"""Rules of the house that no linter knows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [
    path
    for folder in ("annotation", "backend", "benchmarks", "frontend", "tests")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js", ".css", ".html")
    and not {"migrations", "vendor", "__pycache__"} & set(path.parts)
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_one_thing(path):
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400, f"{lines} lines: what are the two things in it?"
    assert path.stem not in {"utils", "helpers", "common", "misc", "core"}


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if path.name == "services.py"],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_service_knows_no_http(path):
    assert not re.search(r"^(from|import) django\.(http|shortcuts|urls)", path.read_text(), re.M)


def test_no_signal_and_no_blanket_except_is_used():
    for path in SOURCES:
        if path.suffix == ".py" and path.parts[-2] != "tests":
            text = path.read_text(encoding="utf-8")
            assert "django.dispatch" not in text, path
            assert not re.search(r"except (Base)?Exception\b", text), path
