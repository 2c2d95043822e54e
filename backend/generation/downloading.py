"""A run's poems as a table, each with where it came from."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, OuterRef

from backend.corpus.spreadsheets import Value, stream
from backend.generation.models import Call, Correction, Generation, Run

CHUNK = 500
COLUMNS = (
    "id", "run", "model", "model_id", "provider", "template", "brief", "poem_id", "poem_title",
    "sample", "turn", "status", "title", "text", "corrected", "flags", "looked_at", "reply",
    "thinking", "finish", "error_kind", "error", "served_model", "request_id", "tokens_input",
    "tokens_output", "tokens_reasoning", "cost_usd", "milliseconds", "answered_at",
)  # fmt: skip
FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


def pieces(run: Run, form: str) -> Iterator[str]:
    """Yield the run's poems as a file of this format, a piece at a time."""
    rows = records(run)
    if form == "csv":
        return stream(COLUMNS, (_cells(row) for row in rows))
    return (json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def records(run: Run) -> Iterator[dict[str, Any]]:
    """Yield what there is to say of each poem of the run, by the names in `COLUMNS`."""
    was_corrected = Exists(Correction.objects.filter(generation=OuterRef("pk")))
    found = run.generations.order_by("pk").annotate(was_corrected=was_corrected)
    with_all = found.select_related("model__provider", "brief__poem", "answer")
    for generation in with_all.iterator(chunk_size=CHUNK):
        yield record(run, generation)


def record(run: Run, generation: Generation) -> dict[str, Any]:
    """Return what there is to say of one poem. Of one that is not known it says None."""
    model, poem = generation.model, generation.brief.poem
    said = {
        "id": generation.pk,
        "run": run.name,
        "model": model.name,
        "model_id": model.model_id,
        "provider": model.provider.name if model.provider else model.reach,
        "template": generation.brief.template,
        "brief": generation.brief.text,
        "poem_id": poem.pk if poem else None,
        "poem_title": poem.title if poem else None,
        "sample": generation.sample,
        "turn": generation.turn,
        "status": generation.status,
        "title": generation.title,
        "text": generation.text,
        "corrected": bool(getattr(generation, "was_corrected", False)),
        "flags": generation.flags,
        "looked_at": _moment(generation.looked_at),
        "reply": generation.reply,
        "error_kind": generation.error_kind,
        "error": generation.error,
    }
    return {name: {**said, **_of_answer(generation.answer)}[name] for name in COLUMNS}


def _of_answer(call: Call | None) -> dict[str, Any]:
    if call is None:
        return dict.fromkeys(
            ("thinking", "finish", "served_model", "request_id", "tokens_input", "tokens_output",
             "tokens_reasoning", "cost_usd", "milliseconds", "answered_at")
        )  # fmt: skip
    return {
        "thinking": call.reasoning,
        "finish": call.finish,
        "served_model": call.served_model,
        "request_id": call.request_id,
        "tokens_input": call.tokens_input,
        "tokens_output": call.tokens_output,
        "tokens_reasoning": call.tokens_reasoning,
        # As text, so that no digit is lost.
        "cost_usd": None if call.cost is None else f"{call.cost:f}",
        "milliseconds": call.milliseconds,
        "answered_at": _moment(call.ended_at),
    }


def _moment(at: Any) -> str | None:
    return at.isoformat() if at else None


def _cells(row: dict[str, Any]) -> list[Value]:
    return [
        json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
        for value in (_plain(value) for value in row.values())
    ]


def _plain(value: Any) -> Any:
    """Return what a table says: nothing for an empty list, a word for yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value or None if isinstance(value, list) else value
