"""The built-in models as shipped: trained on the shipped collection when first asked."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from backend.generation.builtin.figures import Surface
from backend.generation.builtin.judge import BaselineJudge
from backend.generation.builtin.writer import ORDERS, Writer

SAMPLE = Path(__file__).resolve().parents[2] / "corpus" / "sample"
FILES = {"en": "english.jsonl", "zh": "classical_chinese.jsonl"}
JUDGE = "baseline-judge"

# From a prompt, a seed and a temperature to a reply.
Answer = Callable[[str, int, float], str]


def shipped_texts(language: str) -> Sequence[str]:
    """The poems of the shipped collection in ``en`` or ``zh``, in their order."""
    lines = (SAMPLE / FILES[language]).read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["content"]) for line in lines if line.strip()]


def shipped_models() -> dict[str, Callable[[], Answer]]:
    """How to train each model offered, by its name."""
    return {**{name: partial(_writer, name) for name in ORDERS}, JUDGE: _judge}


def shipped_fingerprint() -> str:
    """A short digest of what replies follow from: the texts and this package."""
    files = [*(SAMPLE / name for name in FILES.values()), *Path(__file__).parent.glob("*.py")]
    digest = sha256(b"\0".join(file.read_bytes() for file in sorted(files)))
    return f"ngram-{digest.hexdigest()[:12]}"


def _writer(name: str) -> Answer:
    writer = Writer(
        name, order=ORDERS[name], english=shipped_texts("en"), chinese=shipped_texts("zh")
    )
    return lambda prompt, seed, temperature: writer.write(
        prompt, seed=seed, temperature=temperature
    )


def _judge() -> Answer:
    judge = BaselineJudge(Surface(english=shipped_texts("en"), chinese=shipped_texts("zh")))
    return lambda prompt, _seed, _temperature: judge.answer(prompt)
