"""Asking a language model over one of three wires; what can go wrong has a name.

The vendors' official clients make the calls, with their own retries off: there is one retry
policy, and it is in the rows. What was sent and what came back are handed on as they were.
"""

from backend.generation.providers.addresses import explain_address
from backend.generation.providers.asking import (
    BUILT_IN,
    WIRES,
    Provider,
    ProviderRefused,
    ProviderUnavailable,
    Reach,
    Reply,
    Request,
    Usage,
)
from backend.generation.providers.building import identity, request
from backend.generation.providers.calls import ask, forget_clients
from backend.generation.providers.keys import WHICH_NAMES, is_key_set, may_hold_key

__all__ = [
    "BUILT_IN",
    "WHICH_NAMES",
    "WIRES",
    "Provider",
    "ProviderRefused",
    "ProviderUnavailable",
    "Reach",
    "Reply",
    "Request",
    "Usage",
    "ask",
    "explain_address",
    "forget_clients",
    "identity",
    "is_key_set",
    "may_hold_key",
    "request",
]
