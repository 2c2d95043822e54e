"""Only named modules touch the entries of the sealed key."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# The room of the design keeps the key, and reads it to build, check and fix it.
KEEPER = ROOT / "backend" / "design"
# These join it with answers, each behind `frames.unsealed`.
READERS = {
    "backend/analytics/frames.py",
    "backend/exports/poems.py",
}


def touches(source: str) -> bool:
    """Whether a module names the key's entries, or follows a relation to them."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.alias(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                named = name.rpartition(".")[2] in {"Placement", "placement"}
            case ast.Constant(value=str(text)) if " " not in text:
                named = "placement" in text.lower().split("__")
            case _:
                named = False
        if named:
            return True
    return False


def test_only_these_modules_read_the_key() -> None:
    found = {
        str(path.relative_to(ROOT))
        for folder in ("annotation", "backend")
        for path in (ROOT / folder).rglob("*.py")
        if "migrations" not in path.parts
        and KEEPER not in path.parents
        and touches(path.read_text(encoding="utf-8"))
    }
    assert found == READERS


def test_every_way_to_read_it_is_seen() -> None:
    for source in (
        "from backend.design.models import Placement",
        "models.Placement.objects.all()",
        "print(item.placement)",
        "items.values('placement__poem')",
        "items.filter(**{'item__placement__generation': 1})",
        "apps.get_model('design', 'Placement')",
    ):
        assert touches(source), source
    assert not touches('"""The placement of a comma."""\nplacing = 1')
