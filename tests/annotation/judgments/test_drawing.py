"""One poem at a time: the next opens by itself until the set is done, by page and by API."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.judgments import leaving
from annotation.judgments.models import Judgment
from annotation.studies import consenting
from annotation.studies.links import link_for
from annotation.studies.models import Assignment, Cell, Invitation, Judge, Study
from tests.annotation.panel import enter, survey
from tests.annotation.studies.panels import again, assert_books_agree, shaped, waiting
from tests.annotation.studies.panels import reader as expert

pytestmark = pytest.mark.django_db
JSON = "application/json"
SHOWN = {
    "token", "position", "of", "language", "title", "brief", "text", "second", "questions", "draft",
}  # fmt: skip


@pytest.fixture
def study():
    return shaped(strata=3, each=4, batch=3, dealing=Study.Dealing.DRAW)


@pytest.fixture
def judge(study):
    return expert(study)


@pytest.fixture
def reader(judge):
    return enter(Client(), judge)


@pytest.fixture
def desk(reader):
    return f"/desk/{reader.key}/"


@pytest.fixture
def api_next(reader):
    return f"/api/desk/{reader.key}/next/"


def given(judge):
    return list(Assignment.objects.of(judge).order_by("position"))


def expire_the_link():
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def test_one_poem_is_given_at_a_time_and_the_next_opens_at_once_until_the_set_is_done(
    judge, reader, desk
):
    opened = reader.post(f"{desk}next/")["Location"]
    for number in (1, 2, 3):
        assert len(given(judge)) == number
        assert opened.endswith(f"/poem/{given(judge)[-1].token}/")
        opened = reader.post(opened, survey())["Location"]
    assert opened == desk
    assert len(given(judge)) == 3
    assert {one.batch for one in given(judge)} == {1}
    assert [one.slot for one in given(judge)] == [0, 1, 2]
    # Another set, once it is asked for.
    reader.post(f"{desk}next/")
    assert [one.batch for one in given(judge)] == [1, 1, 1, 2]


def test_a_set_has_a_text_of_each_stratum(judge, reader, desk):
    opened = reader.post(f"{desk}next/")["Location"]
    while "/poem/" in opened:
        opened = reader.post(opened, survey())["Location"]
    assert {one.item.stratum for one in given(judge)} == {"s0", "s1", "s2"}


def test_asking_twice_gives_one_poem(judge, reader, desk):
    first = reader.post(f"{desk}next/")["Location"]
    assert reader.post(f"{desk}next/")["Location"] == first
    assert len(given(judge)) == 1


def test_nobody_is_told_how_many_poems_are_still_to_come(judge, reader, desk, api_next):
    opened = reader.post(f"{desk}next/")["Location"]
    for number in (1, 2):
        shown = reader.post(api_next).json()
        assert (shown["position"], shown["of"]) == (number, None)
        poem = reader.get(opened).content.decode()
        assert f"Poem {number}\n</h1>" in poem
        assert "<progress" not in poem
        assert "3 poems" not in reader.get(desk).content.decode()
        assert "kept for you" in reader.get(f"{desk}leave/").content.decode()
        opened = reader.post(opened, survey())["Location"]
    assert "The next poem is ready for you." in reader.get(desk).content.decode()


def test_a_test_of_attention_that_was_drawn_with_a_poem_shows_nowhere():
    def seen(**tests):
        # A text is as long as any other, and so is the time that it is said to take.
        study = shaped(strata=1, each=8, batch=4, dealing=Study.Dealing.DRAW, **tests)
        study.items.update(text="word " * 300)
        judge = expert(study)
        reader = enter(Client(), judge)
        opened = reader.post(f"/desk/{reader.key}/next/")["Location"]
        opened = reader.post(opened, survey())["Location"]  # the next one is drawn, with the test
        pages = [opened, f"/desk/{reader.key}/", f"/desk/{reader.key}/leave/"]
        shown = [reader.get(address).content.decode() for address in pages]
        for told in (reader.key, opened.split("/")[-2], study.title, judge.name):
            shown = [page.replace(told, "") for page in shown]
        return len(waiting(judge)), shown

    alone, without = seen()
    together, with_test = seen(attention=1, attention_every=2)
    assert (alone, together) == (1, 2)
    assert with_test == without


def test_a_desk_promises_no_sets_where_poems_come_one_at_a_time(judge, reader, desk):
    page = reader.get(desk).content.decode()
    assert "they come one at a time" in page
    assert "A poem takes about" in page
    assert "set" not in page[page.index("<main") : page.index("</main")]
    opened = reader.post(f"{desk}next/")["Location"]
    while "/poem/" in opened:
        opened = reader.post(opened, survey())["Location"]
    page = reader.get(desk).content.decode()
    assert "Thank you for your reading." in page
    assert "this set" not in page


def test_the_api_gives_the_next_poem_with_the_listed_keys_and_the_same_until_it_is_answered(
    judge, reader, api_next
):
    reply = reader.post(api_next)
    assert reply.status_code == 200
    assert set(reply.json()) == SHOWN
    assert reply.json()["token"] == given(judge)[0].token
    assert reader.post(api_next).json() == reply.json()
    answered = reader.post(
        f"/api/desk/{reader.key}/poem/{reply.json()['token']}/judgment/",
        {"answers": survey()}, content_type=JSON,
    )  # fmt: skip
    assert answered.status_code == 201
    assert answered.json()["next"].endswith(f"/poem/{given(judge)[1].token}/")
    assert reader.post(api_next).json()["token"] == given(judge)[1].token


def test_the_same_answer_sent_twice_draws_one_poem(judge, reader, api_next):
    token = reader.post(api_next).json()["token"]
    address = f"/api/desk/{reader.key}/poem/{token}/judgment/"
    replies = [reader.post(address, {"answers": survey()}, content_type=JSON) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [201, 200]
    assert replies[0].json() == replies[1].json()
    assert len(given(judge)) == 2


def test_the_api_has_no_content_when_nothing_is_left(judge, reader, api_next):
    read = 0
    while (reply := reader.post(api_next)).status_code == 200:
        reader.post(f"/desk/{reader.key}/poem/{reply.json()['token']}/", survey())
        read += 1
    assert (read, reply.status_code, reply.content) == (12, 204, b"")


def close(judge):
    Study.objects.update(state=Study.State.CLOSED)


def ask_anew(judge):
    consenting.publish(judge.study, {"en": "You will read poems, aloud."})


def ask_background(judge):
    Study.objects.update(asks_background=True)


@pytest.mark.parametrize("reason", [close, ask_anew, ask_background, leaving.pause, leaving.stop])
def test_the_api_says_why_nothing_can_be_given_now(judge, reader, api_next, reason):
    reason(judge)
    reply = reader.post(api_next)
    assert reply.status_code == 409
    assert reply.json()["detail"]
    assert given(judge) == []


def test_a_stranger_is_given_nothing(judge, reader, api_next):
    link_for(judge)  # which ends the one of before
    assert reader.post(api_next).status_code in (403, 404)
    assert Client().post("/api/desk/forged/next/").status_code in (403, 404)
    assert given(judge) == []


def test_an_expired_link_finishes_what_was_begun_and_draws_nothing_new(
    judge, reader, desk, api_next
):
    opened = reader.post(f"{desk}next/")["Location"]
    expire_the_link()
    assert reader.post(api_next).json()["token"] == given(judge)[0].token
    assert reader.post(opened, survey())["Location"] == desk
    assert reader.post(api_next).status_code == 204
    assert reader.post(f"{desk}next/").status_code == 404
    assert len(given(judge)) == 1
    assert Judgment.objects.count() == 1
    # By a new link they go on in the same set.
    other = enter(Client(), judge)
    other.post(f"/desk/{other.key}/next/")
    assert [(one.batch, one.slot) for one in given(judge)] == [(1, 0), (1, 1)]


def test_whoever_stops_in_the_middle_of_a_set_lets_go_of_the_rest_and_can_come_back(
    study, judge, reader, desk
):
    opened = reader.post(f"{desk}next/")["Location"]
    opened = reader.post(opened, survey())["Location"]
    leaving.stop(again(judge))
    assert again(judge).row == []
    assert sum(Cell.objects.values_list("given", flat=True)) == 1
    assert_books_agree(study)
    leaving.resume(again(judge))
    assert reader.post(f"{desk}next/")["Location"] == opened  # the same poem
    assert_books_agree(study)


def test_a_pause_draws_nothing_new_and_keeps_what_is_begun(study, judge, reader, desk):
    opened = reader.post(f"{desk}next/")["Location"]
    leaving.pause(again(judge))
    assert reader.post(opened, survey())["Location"] == desk
    assert len(given(judge)) == 1
    leaving.resume(again(judge))
    reader.post(f"{desk}next/")
    assert [(one.batch, one.slot) for one in given(judge)] == [(1, 0), (1, 1)]
    assert_books_agree(study)


def test_whoever_has_their_answers_deleted_leaves_no_cell_behind(study, judge, reader, desk):
    opened = reader.post(f"{desk}next/")["Location"]
    reader.post(opened, survey())
    leaving.delete(again(judge))
    assert not Judge.objects.exists()
    assert sum(Cell.objects.values_list("given", flat=True)) == 0
    assert set(study.items.values_list("places_taken", flat=True)) == {0}


def test_judges_who_begin_at_the_same_time_have_rows_of_a_latin_square(study, reader, desk):
    others = [expert(study) for _ in range(2)]
    clients = [reader, *(enter(Client(), one) for one in others)]
    for client in clients:
        client.post(f"/desk/{client.key}/next/")
    assert_books_agree(study)
    assert set(Cell.objects.filter(study=study).values_list("given", flat=True)) == {1}
