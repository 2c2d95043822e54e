"""The built-in models over HTTP on this machine alone, as OpenAI's chat completions."""

import json
import os
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from socketserver import TCPServer, ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from backend.generation.builtin.chat import ChatRequest, RequestRefused
from backend.generation.builtin.ngram import OnlyRecitation
from backend.generation.builtin.shipped import Answer, shipped_fingerprint, shipped_models

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LOOPBACK = "127.0.0.1"


class Endpoint:
    """A WSGI application that answers for some models, each trained when first asked."""

    def __init__(self, models: Mapping[str, Callable[[], Answer]], *, fingerprint: str) -> None:
        self._train = models
        self._trained: dict[str, Answer] = {}
        self._training = threading.Lock()
        self._fingerprint = fingerprint
        self._routes: dict[tuple[str, str], Callable[[WSGIEnvironment], dict[str, Any]]] = {
            ("GET", "/v1/models"): self._models,
            ("POST", "/v1/chat/completions"): self._complete,
        }

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> list[bytes]:
        status = HTTPStatus.OK
        try:
            data = self._route(environ)(environ)
        except RequestRefused as refused:
            status, data = refused.status, refused.body()
        body = json.dumps(data).encode()
        start_response(
            f"{status.value} {status.phrase}",
            [("Content-Type", "application/json"), ("Content-Length", str(len(body)))],
        )
        return [body]

    def _route(self, environ: "WSGIEnvironment") -> "Callable[[WSGIEnvironment], dict[str, Any]]":
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if (method, path) in self._routes:
            return self._routes[method, path]
        if any(path == known for _, known in self._routes):
            raise RequestRefused(
                f"{path} does not take {method}", status=HTTPStatus.METHOD_NOT_ALLOWED
            )
        raise RequestRefused(f"there is no {path} here", status=HTTPStatus.NOT_FOUND)

    def _models(self, _environ: "WSGIEnvironment") -> dict[str, Any]:
        return {
            "object": "list",
            "data": [
                {"id": name, "object": "model", "created": 0, "owned_by": "blindverse"}
                for name in self._train
            ],
        }

    def _complete(self, environ: "WSGIEnvironment") -> dict[str, Any]:
        length = environ.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal():
            raise RequestRefused("the length of the body is not a number")
        asked = ChatRequest.read(environ["wsgi.input"].read(int(length)))
        answer = self._answer(asked.model)
        try:
            text = answer(asked.prompt, asked.seed, asked.temperature)
        except OnlyRecitation as error:
            raise RequestRefused(str(error), status=HTTPStatus.INTERNAL_SERVER_ERROR) from error
        return asked.completion(text, fingerprint=self._fingerprint)

    def _answer(self, name: str) -> Answer:
        if name not in self._train:
            raise RequestRefused(
                f"there is no model {name!r} here; there are {', '.join(self._train)}",
                status=HTTPStatus.NOT_FOUND,
                param="model",
                code="model_not_found",
            )
        with self._training:
            if name not in self._trained:
                self._trained[name] = self._train[name]()
            return self._trained[name]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64

    def server_bind(self) -> None:
        # Not HTTPServer's: it looks the host's name up, which can take seconds without a network.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]
        self.setup_environ()


class _SilentHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Requests of a process to itself are nobody's log."""


class _Served:
    """The one server of this process."""

    def __init__(self) -> None:
        self._server: _Server | None = None
        self._starting = threading.Lock()

    def address(self) -> str:
        with self._starting:
            if self._server is None:
                self._server = _Server((LOOPBACK, 0), _SilentHandler)
                self._server.set_app(Endpoint(shipped_models(), fingerprint=shipped_fingerprint()))
                threading.Thread(
                    target=self._server.serve_forever, name="builtin-models", daemon=True
                ).start()
            return f"http://{LOOPBACK}:{self._server.server_port}/v1"

    def forget(self) -> None:
        """After a fork the thread is the parent's, and the lock may be held for good."""
        if self._server is not None:
            self._server.socket.close()
        self._server = None
        self._starting = threading.Lock()


_served = _Served()
os.register_at_fork(after_in_child=_served.forget)


def serve() -> str:
    """The base URL of the built-in models; the server starts with the first call in a process."""
    return _served.address()
