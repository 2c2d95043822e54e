"""The deployment files as Docker would read them."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]

# ${NAME}, ${NAME:-default} or ${NAME:?what to do}
VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<rest>[^}]*))?\}")


@pytest.fixture(scope="session")
def compose() -> dict[str, Any]:
    """``compose.yaml`` as written: merged, its variables not yet filled in."""
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return loaded


@pytest.fixture(scope="session")
def dockerfile() -> list[str]:
    """The instructions of the ``Dockerfile``, one each, without comments."""
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    return [line for line in text.replace("\\\n", "").splitlines() if line.strip()]


def filled_in(text: str, values: Mapping[str, str]) -> str:
    """Return `text` as Compose would hand it over, given the variables in `values`."""
    return VARIABLE.sub(lambda m: values.get(m["name"]) or m["rest"] or "", text).replace("$$", "$")
