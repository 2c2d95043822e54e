"""Coming, agreeing, telling of oneself, leaving: the pages around the reading."""

import pytest
from django.test import Client

from annotation.judgments.models import Judgment
from annotation.studies import consenting, links
from annotation.studies import services as ledger
from annotation.studies.conflicts import codes
from annotation.studies.models import Assignment, Background, Consent, Item, Judge, Study
from tests.annotation.panel import enter, expert, open_study, survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge():
    return expert(open_study(batch=3), "Ada Reed", agreed=False)


@pytest.fixture
def reader(judge):
    return enter(Client(), judge)


def page(reader: Client, name: str) -> str:
    return f"/desk/{reader.key}/{name}/"


def agreeing(**more: str) -> dict[str, str]:
    return {"agree": "yes", "version": "1", "language": "en", **more}


def test_consent_needs_the_tick(reader, judge):
    refused = reader.post(page(reader, "consent"), {"version": "1", "language": "en"})
    assert refused.status_code == 422
    assert not Consent.objects.exists()
    assert reader.post(page(reader, "consent"), agreeing()).status_code == 302
    consent = Consent.objects.get()
    assert consent.text == "You will read poems."
    assert consent.sha256 == consenting.wording_for(judge.study, "en").sha256
    assert (consent.quotable, consent.thanked_as) == (False, "")


def test_being_quoted_and_being_thanked_are_ticked_apart(reader):
    reader.post(page(reader, "consent"), agreeing(quotable="yes"))
    consent = Consent.objects.get()
    assert (consent.quotable, consent.thanked_as) == (True, "")
    named = agreeing(thanked="yes", thanked_as="A. Reed")
    reader.post(page(reader, "consent"), named)
    consent.refresh_from_db()
    assert (consent.quotable, consent.thanked_as) == (False, "A. Reed")


def test_a_thanks_without_a_name_is_asked_for_and_every_tick_kept(reader):
    given = agreeing(quotable="yes", thanked="yes", thanked_as=" ")
    refused = reader.post(page(reader, "consent"), given)
    assert refused.status_code == 422
    html = refused.content.decode()
    for name in ("agree", "quotable", "thanked"):
        assert _ticked(html, name), name
    assert not Consent.objects.exists()


def test_a_promise_is_asked_for_where_the_study_has_one(reader, judge):
    Study.objects.update(promise="I will use no other help.")
    assert "I will use no other help." in reader.get(page(reader, "consent")).content.decode()
    assert reader.post(page(reader, "consent"), agreeing()).status_code == 422
    assert reader.post(page(reader, "consent"), agreeing(promise="yes")).status_code == 302
    assert Consent.objects.get().promise == "I will use no other help."


def test_a_new_text_is_asked_for_before_the_next_poem_and_no_draft_is_stopped(reader, judge):
    reader.post(page(reader, "consent"), agreeing())
    first = reader.post(page(reader, "next"))["Location"]
    consenting.publish(judge.study, {"en": "You will read many poems."})
    assert reader.post(first, survey())["Location"] == f"/desk/{reader.key}/"
    assert Judgment.objects.count() == 1
    second = Assignment.objects.of(judge).waiting().first()
    assert reader.get(page(reader, f"poem/{second.token}"))["Location"] == f"/desk/{reader.key}/"
    assert reader.post(page(reader, "next")).status_code == 409
    old = reader.post(page(reader, "consent"), agreeing())
    assert old.status_code == 409  # the text was replaced while it was read
    assert "many poems" in old.content.decode()
    assert reader.post(page(reader, "consent"), agreeing(version="2")).status_code == 302
    assert "/poem/" in reader.post(page(reader, "next"))["Location"]
    assert [each.version for each in judge.consents.all()] == [1, 2]


def test_the_text_is_shown_in_the_readers_language(reader, judge):
    consenting.publish(judge.study, {"en": "You will read poems.", "zh-hans": "您将阅读诗歌。"})
    chinese = reader.get(page(reader, "consent"), headers={"accept-language": "zh-CN"})
    assert "您将阅读诗歌。" in chinese.content.decode()
    assert "You will read poems." in reader.get(page(reader, "consent")).content.decode()
    reader.post(page(reader, "consent"), agreeing(version="2", language="zh-hans"))
    assert Consent.objects.get().text == "您将阅读诗歌。"


def test_a_background_is_told_in_coarse_options_before_the_first_poem(reader, judge):
    Study.objects.update(asks_background=True)
    agreed = reader.post(page(reader, "consent"), agreeing())
    assert agreed["Location"] == page(reader, "about-you")
    assert reader.post(page(reader, "next")).status_code == 409
    told = {"practice": ["poet", "translator"], "years": "11-20", "languages": ["en", "zh"]}
    assert reader.post(page(reader, "about-you"), {**told, "years": "17"}).status_code == 422
    assert reader.post(page(reader, "about-you"), told)["Location"] == f"/desk/{reader.key}/"
    background = Background.objects.get()
    assert (background.practice, background.years) == (["poet", "translator"], "11-20")
    assert "/poem/" in reader.post(page(reader, "next"))["Location"]


def test_nothing_has_to_be_told(reader):
    Study.objects.update(asks_background=True)
    reader.post(page(reader, "consent"), agreeing())
    assert reader.post(page(reader, "about-you"), {}).status_code == 302
    assert Background.objects.get().practice == []


def test_a_poem_with_a_declared_conflict_is_given_to_nobody_who_declared_it(reader, judge):
    Study.objects.update(asks_background=True)
    hers = Item.objects.first()
    Item.objects.filter(pk=hers.pk).update(conflicts=codes(judge.study.conflict_salt, "Ada Reed"))
    reader.post(page(reader, "consent"), agreeing())
    reader.post(page(reader, "about-you"), {"conflicts": " Reed, Ada \r\n\r\nSomebody Else"})
    assert Background.objects.get().conflicts == "Reed, Ada\nSomebody Else"
    given = []
    while ledger.deal(judge):
        given += list(Assignment.objects.of(judge).waiting().values_list("item_id", flat=True))
        Assignment.objects.of(judge).update(answered_at=judge.created_at)
    assert len(given) == 5
    assert hers.pk not in given


def test_how_a_reader_likes_the_pages_is_kept_for_every_device(reader, judge):
    liked = {"theme": "sepia", "text_size": "5", "line_numbers": "yes", "language": "zh-hans"}
    back = reader.post(page(reader, "display"), {**liked, "next": page(reader, "consent")})
    assert back["Location"] == page(reader, "consent")
    judge.refresh_from_db()
    kept = (judge.theme, judge.text_size, judge.line_numbers, judge.language)
    assert kept == ("sepia", 5, True, "zh-hans")
    other_device = Client().get(f"/desk/{reader.key}/").content.decode()
    assert 'lang="zh-hans"' in other_device.lower()
    assert 'data-theme="sepia"' in other_device


@pytest.mark.parametrize(
    "wrong", [{"theme": "pink"}, {"text_size": "9"}, {"language": "xx"}, {"line_numbers": "?"}]
)
def test_a_display_that_there_is_not_changes_nothing(reader, judge, wrong):
    assert reader.post(page(reader, "display"), wrong).status_code == 302
    before = (judge.theme, judge.text_size, judge.line_numbers, judge.language)
    judge.refresh_from_db()
    assert (judge.theme, judge.text_size, judge.line_numbers, judge.language) == before


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:1"])
def test_no_address_leads_out_of_the_site(reader, elsewhere):
    back = reader.post(page(reader, "display"), {"theme": "dark", "next": elsewhere})
    assert back["Location"] == f"/desk/{reader.key}/"


def test_a_pause_gives_nothing_and_loses_nothing(reader, judge):
    reader.post(page(reader, "consent"), agreeing())
    first = reader.post(page(reader, "next"))["Location"]
    reader.post(page(reader, "leave"), {"choice": "pause"})
    assert "pausing" in reader.get(f"/desk/{reader.key}/").content.decode()
    assert reader.post(page(reader, "next")).status_code == 409
    assert reader.post(first, survey()).status_code == 302  # what was begun is taken
    assert Judgment.objects.filter(extra=False).count() == 1
    reader.post(page(reader, "leave"), {"choice": "resume"})
    assert "/poem/" in reader.post(page(reader, "next"))["Location"]


def test_whoever_stops_gives_the_places_back_and_keeps_the_answers(reader, judge):
    reader.post(page(reader, "consent"), agreeing())
    reader.post(reader.post(page(reader, "next"))["Location"], survey())
    reader.post(page(reader, "leave"), {"choice": "stop"})
    assert Judgment.objects.count() == 1
    assert sum(Item.objects.values_list("places_taken", flat=True)) == 1
    assert reader.get(page(reader, "certificate")).status_code == 200


def test_a_deletion_has_to_be_sure_and_ends_in_a_receipt(reader, judge):
    reader.post(page(reader, "consent"), agreeing())
    reader.post(reader.post(page(reader, "next"))["Location"], survey())
    unsure = reader.post(page(reader, "leave"), {"choice": "delete"})
    assert unsure.status_code == 422
    assert Judge.objects.count() == 1
    gone = reader.post(page(reader, "leave"), {"choice": "delete", "sure": "yes"})
    receipt = reader.get(gone["Location"])
    assert receipt.status_code == 200
    assert b"Ada" not in receipt.content
    assert not Judge.objects.exists()
    assert reader.get(f"/desk/{reader.key}/").status_code == 404
    assert reader.get(f"{gone['Location'][:-3]}x/").status_code == 404


def test_every_page_and_letter_leads_to_the_way_out(reader, judge):
    reader.post(page(reader, "consent"), agreeing())
    poem = reader.post(page(reader, "next"))["Location"]
    way_out = page(reader, "leave")
    for address in (f"/desk/{reader.key}/", page(reader, "consent"), page(reader, "answers"), poem):
        assert f'href="{way_out}"' in reader.get(address).content.decode(), address
    by_letter = Client().get(f"/invitation/{reader.key}/leave/")
    assert by_letter["Location"] == way_out


def test_an_open_link_lets_as_many_in_as_it_was_made_for():
    study = open_study()
    address = f"/join/{links.open_secret(links.open_link(study, quota=1))}/"
    assert Client().get(address).status_code == 200
    assert Client().post(address, {"name": ""}).status_code == 422
    joined = Client().post(address, {"name": "Ben"}, follow=True)
    judge = Judge.objects.get()
    assert (judge.name, judge.joined_by.used) == ("Ben", 1)
    (secret,) = {links.secret_of(each) for each in judge.invitations.all()}
    assert f"/invitation/{secret}/" in joined.content.decode()
    late = Client().post(address, {"name": "Eve"})
    assert late.status_code == 409
    assert Judge.objects.count() == 1


def test_an_open_link_to_a_closed_study_says_so_and_asks_for_nothing():
    study = open_study()
    address = f"/join/{links.open_secret(links.open_link(study, quota=5))}/"
    Study.objects.filter(pk=study.pk).update(state="closed")
    for page in (Client().get(address), Client().post(address, {"name": "Ben"})):
        html = page.content.decode()
        assert page.status_code == 409
        assert "The study is closed, so nobody can join it any more." in html
        assert "<form" not in html
        assert "is kept" not in html
    assert not study.judges.exists()


def test_an_open_link_tells_no_stranger_who_takes_part(settings):
    settings.SENDS_MAIL = True
    study = open_study()
    known = links.invite(study, name="Ada", email="ada@example.org").invitation.judge
    address = f"/join/{links.open_secret(links.open_link(study, quota=5))}/"
    said = {
        email: Client().post(address, {"name": "X", "email": email}).content.decode()
        for email in ("ADA@example.org", "new@example.org")
    }
    plain = {page.replace(email, "@") for email, page in said.items()}
    assert len(plain) == 1  # one answer, whether the address takes part or not
    assert study.judges.count() == 2
    known.refresh_from_db()
    assert known.link_wanted_at  # and the link goes to its owner
    assert study.judges.get(email="new@example.org").link_wanted_at


def test_a_reload_after_joining_joins_nobody_twice():
    study = open_study()
    address = f"/join/{links.open_secret(links.open_link(study, quota=5))}/"
    joined = Client().post(address, {"name": "Ben"})
    assert joined.status_code == 302
    for _ in range(2):
        assert Client().get(joined["Location"]).status_code == 200
    assert study.judges.count() == 1


def test_a_replaced_link_can_have_the_newest_sent_to_its_owner_and_shows_nothing(settings):
    settings.SENDS_MAIL = True
    judge = links.invite(open_study(), name="Ada", email="ada@example.org").invitation.judge
    old = links.link_for(judge).secret
    new = links.link_for(judge).secret
    page = Client().get(f"/invitation/{old}/leave/")
    assert page.status_code == 404
    html = page.content.decode()
    assert judge.study.contact in html
    assert "ada@example.org" not in html
    assert new not in html
    assert Client().post(f"/invitation/{old}/again/").status_code == 200
    judge.refresh_from_db()
    assert judge.link_wanted_at


def test_a_stopped_link_brings_no_new_one(settings):
    settings.SENDS_MAIL = True
    judge = links.invite(open_study(), name="Ada", email="ada@example.org").invitation.judge
    old = links.link_for(judge).secret
    ledger.revoke(judge)
    page = Client().get(f"/invitation/{old}/").content.decode()
    assert "/again/" not in page
    assert "was stopped" in page
    assert f"Otherwise write to {judge.study.contact}" in page
    assert "new link" not in page
    assert Client().post(f"/invitation/{old}/again/").status_code == 404
    judge.refresh_from_db()
    assert judge.link_wanted_at is None


def test_what_one_lets_be_quoted_and_named_can_be_changed_later(reader):
    reader.post(page(reader, "consent"), agreeing(quotable="yes"))
    changed = {"thanked": "yes", "thanked_as": "A. Reed"}
    assert reader.post(page(reader, "consent"), changed).status_code == 302
    consent = Consent.objects.get()
    assert (consent.quotable, consent.thanked_as) == (False, "A. Reed")
    assert reader.post(page(reader, "consent"), {"thanked": "yes"}).status_code == 302
    assert "A. Reed" not in reader.get(page(reader, "consent")).content.decode()


def test_a_conflict_that_is_told_later_takes_waiting_poems_away(reader, judge):
    reader.post(page(reader, "consent"), agreeing())
    reader.post(page(reader, "next"))
    hers = Assignment.objects.of(judge).first().item
    Item.objects.filter(pk=hers.pk).update(conflicts=codes(judge.study.conflict_salt, "Ada Reed"))
    reader.post(page(reader, "about-you"), {"conflicts": "Ada Reed"})
    assert Assignment.objects.of(judge).waiting().count() == 2
    hers.refresh_from_db()
    assert hers.places_taken == 0


@pytest.mark.parametrize("name", ["thanked_as", "language", "version", "theme"])
def test_what_no_database_takes_breaks_nothing(reader, name):
    sent = {**agreeing(thanked="yes", thanked_as="A"), name: "a\x00b"}
    assert reader.post(page(reader, "consent"), sent).status_code in (302, 409, 422)
    assert reader.post(page(reader, "display"), {name: "a\x00b"}).status_code == 302
    for address in ("poem/%00", "poem/a%00/change"):
        assert reader.get(page(reader, address)).status_code == 404
    assert Client().get("/invitation/%00/").status_code == 404


def test_the_certificate_says_what_was_done_and_nothing_of_the_answers(reader, judge):
    Study.objects.update(honorarium="50 euros for ten poems")
    reader.post(page(reader, "consent"), agreeing())
    poem = reader.post(page(reader, "next"))["Location"]
    reader.post(poem, {**survey(quality_comment="A secret thought."), "milliseconds": "5400000"})
    sheet = reader.get(page(reader, "certificate")).content.decode()
    for shown in ("Ada Reed", judge.study.title, "1:30", "50 euros for ten poems", "f" * 64):
        assert shown in sheet
    assert "A secret thought." not in sheet


def _ticked(html: str, name: str) -> bool:
    before, _, after = html.partition(f'name="{name}"')
    tag = before.rpartition("<")[2] + after.partition(">")[0]
    return "checked" in tag
