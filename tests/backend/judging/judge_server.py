"""A language model that says what it is told to: OpenAI's chat completions over real HTTP."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from backend.generation.models import LanguageModel
from tests.language_models import model_at

SCORES = {"1": 4, "2": 5, "3": 3, "4": 2, "5": 1, "6": 4, "7": 0, "8": 5, "10": 3, "12": 2}
SURVEY = json.dumps(SCORES | {"9": "A simile.", "11": "Plain.", "13": "A feeling."})


@dataclass(frozen=True)
class Trouble:
    """An answer that is no reply: a status and what is said with it."""

    status: int
    said: str = '{"error": {"message": "no"}}'


@dataclass
class Script:
    """What the model will say, one line a call and the last for ever; and what it was asked."""

    lines: list[str | Trouble]
    finish: str = "stop"
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, body: dict[str, Any]) -> str | Trouble:
        with self._lock:
            self.asked.append(body)
            return self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]

    def model(self, name: str = "Scripted judge") -> LanguageModel:
        """Return the language model at this address."""
        return model_at(self.url, "scripted", name=name)


@contextmanager
def judge_server(*lines: str | Trouble, finish: str = "stop") -> Iterator[Script]:
    """Serve these lines on this machine, each to one call."""
    script = Script(list(lines), finish)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            line = script.next(body)
            if isinstance(line, Trouble):
                self.answer(line.status, line.said)
            else:
                self.answer(200, json.dumps(_completion(line, script.finish)))

        def answer(self, status: int, said: str) -> None:
            content = said.encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """A test reads what was asked from the script."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _completion(text: str, finish: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text},
            }
        ],
    }
