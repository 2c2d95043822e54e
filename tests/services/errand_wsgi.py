"""The web application with one address more, ``/errand?path&seconds``, that sends out a task."""

import json
import os
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from backend.config.wsgi import application as blindverse
from tests.services.errands import note


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    if environ["PATH_INFO"] != "/errand":
        return blindverse(environ, start_response)
    asked = parse_qs(environ["QUERY_STRING"])
    note.delay(asked["path"][0], float(asked["seconds"][0]))
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"pid": os.getpid()}).encode()]
