"""Blinding, proven: nothing an expert can reach holds a marker planted in all that is secret.

Every author, model, title, source, edition, address, file name, run, collection and, where the
instrument shows no brief, every prompt carries the marker. The crawl follows whatever an expert's
pages link to, asks the API, provokes error pages, and tries every address Blindverse has.
"""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from annotation.studies import consenting, links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Study
from backend.accounts.models import User
from backend.corpus.models import Collection, ImportedFile, Poem
from backend.design import services as design
from backend.generation.models import Brief, Call, Correction, Generation, Recital, Run
from backend.judging import services as judging
from tests.annotation.panel import LIKERT, enter, survey
from tests.language_models import model_at

pytestmark = pytest.mark.django_db

MARKER = "Xyzzyqua"
PLACES = 3  # poems and models
STAGE = {"recognition": "0", **dict.fromkeys((*LIKERT, "overall_quality"), "4")}
ANSWERS = {**survey(), **STAGE, "probability_human": "0.4", "human_text": "1"}


@pytest.fixture(
    params=["poemetric-survey", "proftap-probability", "recognised-probability", "pair-choice"]
)
def study(request: pytest.FixtureRequest) -> Study:
    """An open study on the real path, with the marker in everything secret."""
    collection = Collection.objects.create(name=f"{MARKER} collection", description=MARKER)
    ImportedFile.objects.create(
        collection=collection, name=f"{MARKER}.csv", sha256="0" * 64, added=PLACES, known=0
    )
    run = Run.objects.create(name=f"{MARKER} run", template="poemetric")
    models = [
        model_at(
            f"https://{MARKER}.example/v1",
            f"{MARKER}-{n}",
            name=f"{MARKER} model {n}",
            key_variable=f"{MARKER.upper()}_KEY",
            description=MARKER,
            family=MARKER,
            parameters={"user": MARKER},
        )
        for n in range(PLACES)
    ]
    shown = request.param == "poemetric-survey"
    for n in range(PLACES):
        poem = _poem(collection, n)
        prompt = f"Write poem {n}." if shown else f"{MARKER} prompt {n}"
        brief = Brief.objects.create(
            poem=poem, template="poemetric", text=prompt, fingerprint=str(n)
        )
        for model in models:
            written = Generation.objects.create(
                run=run, brief=brief, model=model, status="done",
                reply=f"{MARKER} reply", title=f"{MARKER} title", text=f"A machine line {n}.",
                flags=[{"rule": MARKER, "reason": MARKER}],
            )  # fmt: skip
            Call.objects.create(
                model=model, generation=written, state="answered", request={"x": MARKER},
                response=MARKER, text=MARKER, reasoning=MARKER, url=MARKER, request_id=MARKER,
            )  # fmt: skip
            Recital.objects.create(
                generation=written, kind="near", poem=poem, lines=[[MARKER, MARKER]]
            )
            Correction.objects.create(
                generation=written, text_before=MARKER, text_after=MARKER, reason=MARKER
            )
    plan = design.Plan(
        title="Spring", contact="panel@example.org", instrument=request.param,
        collection=collection, runs=[run], models=models,
        judges_per_item=2, batch_size=12, seed=3,
    )  # fmt: skip
    study = design.build(plan)
    design.open_study(study)
    judging.put_to(study, models[:1])
    User.objects.create_user(f"{MARKER}-staff", email=f"{MARKER}@example.org")
    return study


@pytest.fixture
def expert(study: Study) -> Client:
    """A browser whose judge has agreed, holds a batch, and has answered one poem."""
    judge = links.invite(study, name="Ada").invitation.judge
    # A canary run must stand up to what a failing page would say, too.
    client = enter(Client(raise_request_exception=False), judge)
    client.judge = judge
    consenting.agree(judge, wording=consenting.wording_for(study, "en"), promised=True)
    told = {"practice": ["poet"], "years": "3-5", "languages": ["en"]}
    consenting.record_background(judge, conflicts="Somebody Else", **told)
    ledger.deal(judge)
    return client


def test_nothing_an_expert_can_reach_holds_a_marker(expert: Client) -> None:
    desk = f"/desk/{expert.key}/"
    reached = list(_crawl(expert, [desk, "/"]))
    tokens = [a.token for a in Assignment.objects.of(expert.judge)]
    for token in tokens:
        reached.append(expert.get(f"/api{desk}poem/{token}/"))
        reached.append(expert.get(f"{desk}poem/{token}/"))
    first = f"{desk}poem/{tokens[0]}/"
    reached += [
        expert.post(first, {"form": "99"}),
        expert.post(first, {**STAGE, "go": "on"}),
        expert.get(first),
        expert.post(first, ANSWERS),
        expert.get(first),
        expert.get(f"{first}change/"),
        expert.post(f"{first}change/", {**ANSWERS, "edits": "0"}),
        expert.post(f"{first}change/", {"edits": "x"}),
        expert.put(f"/api{first}draft/", "{", content_type="application/json"),
        expert.delete(f"/api{first}"),
        expert.options(f"/api{first}"),
        expert.get(f"{desk}answers/"),
        expert.get(f"{desk}answers.json"),
        expert.get(f"{desk}certificate/"),
        expert.get(f"{desk}debrief/"),
        expert.get("/no/such/page/"),
        expert.get("/invitation/forged/"),
        expert.get(f"/api{first}", headers={"accept": "text/html"}),
        expert.get("/strings/zh-hans.js"),
        expert.post(f"{desk}leave/", {"choice": "pause"}),
        expert.get(desk),
        expert.post(f"{desk}leave/", {"choice": "delete"}),
        expert.post(f"{desk}leave/", {"choice": "delete", "sure": "yes"}, follow=True),
        expert.get(desk),
    ]
    assert len(reached) > 25
    for response in reached:
        _assert_clean(response)


def test_no_address_of_blindverse_tells_an_expert_anything(expert: Client, study: Study) -> None:
    item, poem = Item.objects.first(), Poem.objects.first()
    known = {
        "slug": study.slug, "code": expert.judge.code, "secret": "x", "token": "x", "ticket": "x",
        "key": expert.key, "pk": poem.pk, "table": "means", "receipt": "x", "language": "en",
    }  # fmt: skip
    asked = 0
    for route in _routes(get_resolver().url_patterns):
        path = "/" + re.sub(
            r"<(?:(\w+):)?(\w+)>",
            lambda m: str(known.get(m[2], item.pk if m[1] == "int" else study.slug)),
            re.sub(r"\(\?P<\w+>[^)]*\)|[\^$\\]", "1", route) if "(?P" in route else route,
        )
        for method in ("get", "post"):
            asked += 1
            _assert_clean(getattr(expert, method)(path))
    assert asked > 60


def test_the_canary_would_sing(expert: Client, study: Study) -> None:
    # The crawl does reach the item's text: a marker there is found.
    assignment = Assignment.objects.of(expert.judge).first()
    Item.objects.filter(pk=assignment.item_id).update(text=f"By {MARKER}")
    page = expert.get(f"/desk/{expert.key}/poem/{assignment.token}/")
    with pytest.raises(AssertionError):
        _assert_clean(page)


def test_no_number_of_a_row_stands_in_an_experts_pages(expert: Client) -> None:
    # Rows are numbered in the order they are stored; an address must not tell that order.
    desk = f"/desk/{expert.key}/"
    pages = [desk, f"{desk}consent/", f"{desk}about-you/", f"{desk}leave/", f"{desk}answers/"]
    pages += [f"{desk}poem/{a.token}/" for a in Assignment.objects.of(expert.judge)]
    for page in pages:
        html = expert.get(page).content.decode()
        addresses = re.findall(r'(?:href|src|action|data-[\w-]+)="([^"]*)"', html)
        assert not [each for each in addresses if re.search(r"/\d+(/|$)", each)]


def _poem(collection: Collection, n: int) -> Poem:
    secret = ("author", "source", "edition", "url", "year", "imagery")
    return Poem.objects.create(
        collection=collection,
        title=f"{MARKER} title {n}",
        form="Ballad",
        theme=f"About {n}",
        text=f"A human line {n}.",
        fingerprint=f"{MARKER}-{n}",
        **{name: f"{MARKER} {name} {n}" for name in secret},
    )


def _assert_clean(response: object) -> None:
    body = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
    said = f"{response.headers} {response.cookies}"  # type: ignore[attr-defined]
    text = f"{said} {body.decode(errors='replace')}".casefold()
    where = response.request.get("PATH_INFO")  # type: ignore[attr-defined]
    assert MARKER.casefold() not in text, f"a marker at {where}"
    assert response.status_code < 500, f"{response.status_code} at {where}"  # type: ignore[attr-defined]


def _crawl(client: Client, starts: list[str]) -> Iterator[object]:
    """Yield every response that can be reached by following addresses, on this host only."""
    todo, seen = list(starts), set(starts)
    while todo:
        response = client.get(todo.pop())
        yield response
        found = [response.headers.get("Location", "")]
        if not response.streaming:
            found += re.findall(
                r'(?:href|src|action|data-[\w-]+)="([^"#]+)|url\(["\']?([^"\')]+)|from "\./([^"]+)',
                response.content.decode(errors="replace"),
            )
        for each in found:
            address = next((part for part in each if part), "") if isinstance(each, tuple) else each
            if address.startswith("/") and address not in seen:
                seen.add(address)
                todo.append(address)


def _routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route
