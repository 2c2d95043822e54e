"""What is asked of a language model and what comes back; what can go wrong has a name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WIRES = ("openai", "anthropic", "gemini")
BUILT_IN = "built-in:"


@dataclass(frozen=True)
class Reach:
    """Where a call goes, and how long it may take, to the last byte.

    `key_variable` names the environment variable that holds the key; none is sent if it is empty.
    """

    wire: str
    base_url: str
    key_variable: str = ""
    seconds: float = 180.0

    @property
    def is_built_in(self) -> bool:
        return self.base_url == BUILT_IN

    @property
    def name(self) -> str:
        """The address as a person should read it."""
        return "the built-in endpoint" if self.is_built_in else self.base_url


@dataclass(frozen=True)
class Request:
    """One call: where it goes, and exactly the body that is sent.

    A provider that honours `idempotency_key` writes, and bills, no second answer for it.
    """

    reach: Reach
    body: dict[str, Any]
    model: str
    idempotency_key: str = ""

    @property
    def url(self) -> str:
        """The whole address that is posted to; no key is in it."""
        base = self.reach.base_url.rstrip("/")
        if self.reach.wire == "anthropic":
            return f"{anthropic_root(base)}/v1/messages"
        if self.reach.wire == "gemini":
            root, version = gemini_root(base)
            return f"{root}/{version}/{gemini_name(self.model)}:generateContent"
        return f"{base}/chat/completions"


def anthropic_root(base_url: str) -> str:
    """Return the base URL without the version, which its client adds."""
    return base_url.rstrip("/").removesuffix("/v1")


def gemini_root(base_url: str) -> tuple[str, str]:
    """Return the base URL without the version, which its client adds, and the version."""
    root, slash, last = base_url.rstrip("/").rpartition("/")
    if slash and last in ("v1", "v1beta", "v1alpha"):
        return root, last
    return base_url.rstrip("/"), "v1beta"


def gemini_name(model: str) -> str:
    """Return the model's name as it stands in the address."""
    return model if model.startswith(("models/", "tunedModels/")) else f"models/{model}"


@dataclass(frozen=True)
class Usage:
    """Tokens that were counted by the provider. None is what it did not say.

    `input` includes `cached`. `output` includes `reasoning`, for it is billed as output.
    """

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None


@dataclass(frozen=True)
class Reply:
    """What came back: the text, why it ended, and the body as it came.

    `finish` is "stop", "length", "content_filter" or the provider's own word. `reasoning` holds
    what came in a field for it; what stands in the text is left there.
    """

    text: str
    finish: str
    body: str
    reasoning: str = ""
    usage: Usage = Usage()
    request_id: str = ""
    served_model: str = ""


Provider = Callable[[Request], Reply]


class Failure(Exception):
    """What came says itself that the provider failed while it wrote."""


class ProviderUnavailable(Exception):
    """No answer now; the same call may succeed later.

    Attributes
    ----------
    kind : str
        "unreachable", "timeout", "busy" or "server".
    body : str
        What came instead of an answer, if anything did.
    status : int, optional
        The HTTP status, if there was one.
    request_id : str
        What the provider calls this call.
    retry_after : float, optional
        In how many seconds the provider would be asked again, if it says so.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        body: str = "",
        *,
        status: int | None = None,
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.body = body
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


class ProviderRefused(Exception):
    """The provider will not answer this call, now or later, until something is changed.

    Attributes
    ----------
    kind : str
        "no key", "key", "request", "address" or "package".
    body : str
        What came instead of an answer, if anything did.
    status : int, optional
        The HTTP status, if there was one.
    request_id : str
        What the provider calls this call.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        body: str = "",
        *,
        status: int | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.body = body
        self.status = status
        self.request_id = request_id
