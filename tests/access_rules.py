"""Who may open each address of Blindverse: the table that the matrix test asks by."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rule:
    """Who is let in, by which methods, and what they are told of what is not theirs.

    Attributes
    ----------
    who : str
        anyone; link (whoever has the address); staff; researchers; scope (a token with that one
        of `scopes` which stands where the method does); schema (any token, and staff who are
        signed in); token (any token).
    unknown : int
        The answer where something in the address is somebody else's, or nobody's.
    own : frozenset of int
        The answer to those let in, where it is not one of the usual ones.
    """

    who: str
    methods: tuple[str, ...]
    scopes: tuple[str, ...] = ()
    unknown: int = 404
    own: frozenset[object] = frozenset()


def anyone(*methods: str, **more: Any) -> Rule:
    return Rule("anyone", methods, **more)


def link(*methods: str, **more: Any) -> Rule:
    return Rule("link", methods, **more)


def staff(*methods: str, **more: Any) -> Rule:
    return Rule("staff", methods, **more)


def researchers(*methods: str, **more: Any) -> Rule:
    return Rule("researchers", methods, **more)


def program(to_get: str, to_post: str, **more: Any) -> Rule:
    return Rule("scope", ("GET", "POST"), (to_get, to_post), **more)


def reads(scope: str) -> Rule:
    return Rule("scope", ("GET",), (scope,))


def writes(scope: str) -> Rule:
    return Rule("scope", ("POST",), (scope,))


GET, POST = "GET", "POST"

RULES = {
    "healthz": anyone(GET),
    "readyz": anyone(GET),
    "": anyone(GET),
    "help/": anyone(GET),
    "strings/<str:language>.js": anyone(GET),
    "invitation/<str:key>/": link(GET),
    "invitation/<str:key>/again/": link(POST),
    "invitation/<str:key>/leave/": link(GET),
    "join/<str:secret>/": link(GET, POST),
    "deleted/<str:receipt>/": link(GET),
    "desk/<str:key>/": link(GET),
    "desk/<str:key>/consent/": link(GET, POST),
    "desk/<str:key>/about-you/": link(GET, POST),
    "desk/<str:key>/next/": link(POST),
    "desk/<str:key>/welcome/": link(GET),
    "desk/<str:key>/poem/<slug:token>/": link(GET, POST),
    # Nothing was answered yet that could be changed.
    "desk/<str:key>/poem/<slug:token>/change/": link(GET, POST, own=frozenset({404})),
    "desk/<str:key>/display/": link(POST),
    "desk/<str:key>/answers/": link(GET),
    "desk/<str:key>/answers.json": link(GET),
    "desk/<str:key>/leave/": link(GET, POST),
    "desk/<str:key>/certificate/": link(GET),
    "api/desk/<str:key>/next/": link(POST, unknown=403),
    "api/desk/<str:key>/poem/<slug:token>/": link(GET, unknown=403),
    "api/desk/<str:key>/poem/<slug:token>/draft/": link(unknown=403),
    "api/desk/<str:key>/poem/<slug:token>/stage/": link(POST, unknown=403),
    "api/desk/<str:key>/poem/<slug:token>/judgment/": link(POST, unknown=403),
    "sign-in/": anyone(GET, POST),
    "sign-out/": anyone(POST),
    "corpus/": researchers(GET),
    "corpus/import/": researchers(GET, POST),
    "corpus/import/<int:pk>/": researchers(GET, POST, unknown=302),
    "corpus/<int:pk>/": researchers(GET),
    "corpus/poems/<int:pk>/": researchers(GET),
    "generation/": researchers(GET),
    "generation/new/": researchers(GET, POST),
    "generation/import/": researchers(GET, POST),
    "generation/models/": researchers(GET),
    "generation/models/new/": researchers(GET, POST),
    "generation/models/catalogue/": researchers(GET, POST),
    "generation/models/<int:key>/": researchers(GET, POST),
    "generation/models/<int:key>/test/": researchers(POST),
    "generation/models/<int:key>/delete/": researchers(GET, POST),
    "generation/providers/": researchers(GET),
    "generation/providers/new/": researchers(GET, POST),
    "generation/providers/<int:key>/": researchers(GET, POST),
    "generation/providers/<int:key>/delete/": researchers(GET, POST),
    "generation/runs/<int:key>/": researchers(GET),
    "generation/runs/<int:key>/progress/": researchers(GET),
    "generation/runs/<int:key>/pause/": researchers(POST),
    "generation/runs/<int:key>/resume/": researchers(POST),
    "generation/runs/<int:key>/cancel/": researchers(GET, POST),
    "generation/runs/<int:key>/retry/": researchers(POST),
    "generation/runs/<int:key>/cap/": researchers(POST),
    "generation/runs/<int:key>/models/": researchers(POST),
    "generation/runs/<int:key>/poems.csv": researchers(GET),
    "generation/runs/<int:key>/poems.jsonl": researchers(GET),
    "generation/poems/<int:key>/": researchers(GET),
    "generation/poems/<int:key>/correct/": researchers(POST),
    "generation/poems/<int:key>/looked/": researchers(POST),
    "studies/": staff(GET),
    "studies/new/": staff(GET, POST),
    "studies/new/counts/": staff(POST),
    "studies/instruments/": staff(GET),
    "studies/instruments/new/": staff(GET, POST),
    "studies/instruments/<slug:key>/": staff(GET, POST),
    "studies/<slug:slug>/": staff(GET),
    "studies/<slug:slug>/preview/": staff(GET),
    "studies/<slug:slug>/surface/": staff(GET, POST),
    "studies/<slug:slug>/surface/limit/": staff(POST),
    "studies/<slug:slug>/pilot/": staff(POST),
    "studies/<slug:slug>/consent/": staff(GET, POST),
    "studies/<slug:slug>/open/": staff(POST),
    "studies/<slug:slug>/close/": staff(POST),
    "studies/<slug:slug>/discard/": staff(POST),
    "studies/<slug:slug>/unblind/": researchers(POST),
    "studies/<slug:slug>/unsealing/": researchers(GET),
    "studies/<slug:slug>/unsealing/take-back/": researchers(POST),
    "studies/<slug:slug>/ledger/": staff(GET),
    "studies/<slug:slug>/ledger/figures/": staff(GET),
    "studies/<slug:slug>/ledger/care/": staff(GET),
    "studies/<slug:slug>/ledger/raise/": staff(POST),
    "studies/<slug:slug>/ledger/remind/<slug:which>/": staff(POST),
    "studies/<slug:slug>/activity/": staff(GET),
    "studies/<slug:slug>/panel/": staff(GET),
    "studies/<slug:slug>/panel/invite/": staff(POST),
    "studies/<slug:slug>/panel/invite-many/": staff(POST),
    "studies/<slug:slug>/panel/links.csv": staff(GET),
    "studies/<slug:slug>/panel/open-links/": staff(POST),
    "studies/<slug:slug>/panel/open-links/<int:key>/": staff(GET),
    "studies/<slug:slug>/panel/open-links/<int:key>/stop/": staff(POST),
    "studies/<slug:slug>/panel/remind-all/": staff(POST),
    "studies/<slug:slug>/panel/message/": staff(POST),
    "studies/<slug:slug>/panel/rules/": staff(POST),
    "studies/<slug:slug>/panel/letters/<int:key>/again/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/link/": staff(GET),
    "studies/<slug:slug>/panel/<str:code>/new-link/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/revoke/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/invitation/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/reminder/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/part/": staff(GET),
    "studies/<slug:slug>/panel/<str:code>/withdraw/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/restore/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/replace/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/group/": staff(POST),
    "studies/<slug:slug>/panel/<str:code>/delete/": staff(POST),
    "studies/<slug:slug>/hooks/": staff(GET),
    "studies/<slug:slug>/hooks/add/": staff(POST),
    "studies/<slug:slug>/hooks/<int:key>/ping/": staff(POST),
    "studies/<slug:slug>/hooks/<int:key>/stop/": staff(POST),
    "studies/<slug:slug>/hooks/<int:key>/start/": staff(POST),
    "studies/<slug:slug>/hooks/<int:key>/delete/": staff(POST),
    "studies/<slug:slug>/hooks/deliveries/<int:key>/again/": staff(POST),
    "studies/<slug:slug>/machine-judges/": staff(GET, POST),
    "studies/<slug:slug>/machine-judges/progress/": staff(GET),
    "studies/<slug:slug>/machine-judges/again/": staff(POST),
    "studies/<slug:slug>/results/": researchers(GET),
    "studies/<slug:slug>/look/": researchers(POST),
    # Experts are told nothing before the key is unsealed.
    "desk/<str:key>/debrief/": link(GET, own=frozenset({404})),
    "results/<slug:slug>/<slug:key>/": researchers(GET),
    "results/<slug:slug>/<slug:key>.csv": researchers(GET),
    "studies/<slug:slug>/export/": researchers(GET, POST),
    "account/tokens/": staff(GET, POST),
    "account/tokens/<int:pk>/revoke/": staff(POST),
    "api/v1/schema/": Rule("schema", (GET,)),
    "api/v1/docs/": staff(GET),
    "api/v1/collections/": reads("corpus:read"),
    "api/v1/collections/import/": writes("corpus:write"),
    "api/v1/collections/<int:pk>/": reads("corpus:read"),
    "api/v1/collections/<int:pk>/poems/": reads("corpus:read"),
    "api/v1/poems/<int:pk>/": reads("corpus:read"),
    "api/v1/providers/": program("corpus:read", "corpus:write"),
    "api/v1/providers/<int:pk>/": reads("corpus:read"),
    "api/v1/language-models/": program("corpus:read", "corpus:write"),
    "api/v1/language-models/<int:pk>/": reads("corpus:read"),
    "api/v1/runs/": program("corpus:read", "corpus:write"),
    "api/v1/runs/estimate/": writes("corpus:write"),
    "api/v1/runs/<int:pk>/": reads("corpus:read"),
    "api/v1/runs/<int:pk>/progress/": reads("corpus:read"),
    "api/v1/runs/<int:pk>/poems/": reads("corpus:read"),
    "api/v1/runs/<int:pk>/retry/": writes("corpus:write"),
    "api/v1/runs/<int:pk>/pause/": writes("corpus:write"),
    "api/v1/runs/<int:pk>/resume/": writes("corpus:write"),
    "api/v1/runs/<int:pk>/cancel/": writes("corpus:write"),
    "api/v1/runs/<int:pk>/cap/": writes("corpus:write"),
    "api/v1/runs/<int:pk>/models/": writes("corpus:write"),
    "api/v1/choices/": reads("studies:read"),
    "api/v1/studies/": program("studies:read", "studies:write"),
    "api/v1/studies/<slug:slug>/": reads("studies:read"),
    "api/v1/studies/<slug:slug>/items/": reads("studies:read"),
    "api/v1/studies/<slug:slug>/progress/": reads("studies:read"),
    "api/v1/studies/<slug:slug>/consent/": program("studies:read", "studies:write"),
    "api/v1/studies/<slug:slug>/checklist/": reads("studies:read"),
    "api/v1/studies/<slug:slug>/surface/": program(
        "studies:read", "studies:write", own=frozenset({201, 404})
    ),
    "api/v1/studies/<slug:slug>/pilot/": writes("studies:write"),
    "api/v1/studies/<slug:slug>/versions/": reads("studies:read"),
    "api/v1/studies/<slug:slug>/open/": writes("studies:write"),
    "api/v1/studies/<slug:slug>/close/": writes("studies:write"),
    "api/v1/studies/<slug:slug>/unsealing/": program("studies:read", "studies:write"),
    "api/v1/studies/<slug:slug>/places/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/ledger/": reads("panel:read"),
    "api/v1/studies/<slug:slug>/panel/": program("panel:read", "panel:write"),
    "api/v1/studies/<slug:slug>/panel/<slug:code>/": reads("panel:read"),
    "api/v1/studies/<slug:slug>/panel/<slug:code>/link/": program("panel:write", "panel:write"),
    "api/v1/studies/<slug:slug>/panel/<slug:code>/invitation/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/panel/<slug:code>/withdraw/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/panel/<slug:code>/restore/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/panel/<slug:code>/replace/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/panel/<slug:code>/reminder/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/invitations/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/reminders/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/messages/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/letters/": reads("panel:read"),
    "api/v1/studies/<slug:slug>/letters/<int:pk>/again/": writes("panel:write"),
    "api/v1/studies/<slug:slug>/rules/": reads("panel:read"),
    "api/v1/studies/<slug:slug>/open-links/": program("panel:read", "panel:write"),
    "api/v1/studies/<slug:slug>/open-links/<int:pk>/": reads("panel:write"),
    "api/v1/studies/<slug:slug>/hooks/": program("hooks:write", "hooks:write"),
    "api/v1/studies/<slug:slug>/hooks/<int:pk>/": reads("hooks:write"),
    "api/v1/studies/<slug:slug>/hooks/<int:pk>/stop/": writes("hooks:write"),
    "api/v1/studies/<slug:slug>/hooks/<int:pk>/start/": writes("hooks:write"),
    "api/v1/studies/<slug:slug>/hooks/<int:pk>/ping/": writes("hooks:write"),
    "api/v1/studies/<slug:slug>/deliveries/": reads("hooks:write"),
    "api/v1/studies/<slug:slug>/deliveries/<int:pk>/again/": writes("hooks:write"),
    "api/v1/studies/<slug:slug>/looks/": program("results:read", "results:read"),
    "api/v1/studies/<slug:slug>/results/": reads("results:read"),
    "api/v1/studies/<slug:slug>/results/<slug:key>.csv": reads("results:read"),
    "api/v1/studies/<slug:slug>/export/": reads("exports:read"),
    "api/v1/instruments/": program("studies:read", "studies:write"),
    "api/v1/instruments/<slug:key>/": reads("studies:read"),
    "api/v1/instruments/<slug:key>/versions/": writes("studies:write"),
    "api/v1/log/": reads("log:read"),
    "^api/v1/": Rule("token", (GET, POST), own=frozenset({404})),
}
