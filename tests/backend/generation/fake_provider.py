"""A provider of language models over real HTTP; a model's name says how it behaves."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

POEM = "The river keeps the light\nAnd lends it to the stones;\n\nThe stones give back a sound."
CHAT = "application/json"


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    model: str
    prompt: str
    body: dict[str, Any]
    authorization: str


@dataclass(frozen=True)
class Answer:
    """What goes back: `promised` is the length named when it is not the real one."""

    status: int
    body: str
    kind: str = CHAT
    promised: int | None = None


def chat(content: str | None, finish: str = "stop", **message: str) -> Answer:
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish}
    return Answer(200, json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]}))


def refusal(status: int, message: str) -> Answer:
    return Answer(status, json.dumps({"error": {"message": message}}))


FIXED = {
    "ok": chat(POEM),
    "no-key": refusal(401, "Incorrect API key"),
    "forbidden": refusal(403, "This key may not use the model"),
    "unknown": refusal(404, "No such model"),
    "redirect": Answer(302, ""),
    "busy": refusal(429, "Rate limit reached"),
    "broken": refusal(500, "The server had an error"),
    "html": Answer(200, "<html><body>Gateway</body></html>", "text/html"),
    "garbage": Answer(200, '{"choices": [{"mess'),
    "no-choices": Answer(200, '{"choices": []}'),
    "list": Answer(200, '{"choices": [{"message": {"content": [{"type": "text"}]}}]}'),
    "empty": chat(""),
    "null": chat(None),
    "length": chat("The river keeps", finish="length"),
    "filtered": chat("", finish="content_filter"),
    "refusal": chat("I'm sorry, but I can't help with that."),
    "refusal-field": chat(None, refusal="I'm sorry, but I can't help with that."),
    "think": chat(f"<think>A river, then.\nStones?</think>\n\n{POEM}"),
    "think-open": chat("<think>A river, then. Or perhaps"),
    "fence": chat(f"Here it is:\n```text\n{POEM}\n```\nEnjoy!"),
    "title": chat(f"Certainly! Here is a poem:\n\n**The River**\n\n{POEM}\n\nI hope you like it!"),
    "nul": chat(f"{POEM}\x00"),
    "half-a-pair": Answer(200, chat(f"{POEM}!").body.replace("!", "\\ud83d")),
    "drop": Answer(200, chat(POEM).body[:40], promised=4000),
}


class FakeProvider:
    """A server that behaves as the model asked for is named, and remembers who asked what.

    "hang" answers nothing until the server stops, "slow" after a third of a second, "first-six"
    six requests at once and all others when `released` is set, "echo-401" and "echo-200" repeat the
    key, "heals" answers once `healed` is set.
    """

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.answered: Counter[str] = Counter()
        self.stopping = threading.Event()
        self.released = threading.Event()
        self.healed = False
        self._at_once = threading.Semaphore(6)
        self._turn = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def asked(self, model: str) -> int:
        """Return how often this model was asked."""
        return sum(request.model == model for request in self.requests)

    def stop(self) -> None:
        self.stopping.set()
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: Asked) -> Answer:
        behave: dict[str, Callable[[], Answer]] = {
            "hang": self._hang,
            "slow": self._slow,
            "first-six": self._first_six,
            "heals": lambda: chat(POEM) if self.healed else refusal(401, "Not yet"),
            "echo-401": lambda: refusal(401, f"Wrong: {asked.authorization}"),
            "echo-500": lambda: refusal(500, f"Wrong: {asked.authorization}"),
            "echo-200": lambda: chat(f"{POEM}\n{asked.authorization}"),
            "echo-html": lambda: Answer(200, asked.authorization, "text/html"),
        }
        return behave[asked.model]() if asked.model in behave else FIXED[asked.model]

    def _hang(self) -> Answer:
        self.stopping.wait(30)
        return chat(POEM)

    def _slow(self) -> Answer:
        self.stopping.wait(0.33)
        return chat(POEM)

    def _first_six(self) -> Answer:
        if not self._at_once.acquire(blocking=False):
            self.released.wait()
        return chat(POEM)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                prompt = body["messages"][0]["content"]
                asked = Asked(body["model"], prompt, body, self.headers.get("Authorization", ""))
                with provider._turn:
                    provider.requests.append(asked)
                self._send(provider.answer(asked))
                with provider._turn:
                    provider.answered[prompt] += 1

            def _send(self, answer: Answer) -> None:
                body = answer.body.encode()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                self.send_header("Content-Length", str(answer.promised or len(body)))
                if answer.status == 302:
                    self.send_header("Location", f"{provider.url}/elsewhere")
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Tests say what matters themselves."""

        return Handler
