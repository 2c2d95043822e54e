"""Experts are invited, reminded, stopped, withdrawn and replaced by programs."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.judgments import leaving
from annotation.studies import links
from annotation.studies.amending import withdraw
from annotation.studies.models import Judge
from backend.api.views import ledger, letters, panel
from backend.api.visible import expert_of
from backend.design.models import Design, InterimLook
from backend.panel.models import Letter
from tests.annotation.studies.panels import shaped
from tests.backend.api.calling import program
from tests.studies import coordinator, make_study

pytestmark = pytest.mark.django_db


def test_experts_are_listed_with_progress_and_without_links(kim, study, ada):
    (shown,) = kim.get(f"studies/{study.slug}/panel/").json()["results"]
    assert (shown["code"], shown["name"], shown["state"]) == (ada.code, "Ada", "invited")
    assert (shown["given"], shown["answered"], shown["link_works"]) == (0, 0, True)
    secret = links.secret_of(ada.invitations.get())
    assert secret not in str(shown)
    assert kim.get(f"studies/{study.slug}/panel/{ada.code}/").json() == shown
    assert kim.get(f"studies/{study.slug}/panel/", search="nobody").json()["count"] == 0
    assert kim.get(f"studies/{study.slug}/panel/", state="left").json()["count"] == 0


def test_an_expert_of_another_study_is_not_found(kim, ada):
    make_study(slug="other")
    for path in ("", "link/"):
        assert kim.get(f"studies/other/panel/{ada.code}/{path}").status_code == 404
    for path in ("link/", "reminder/", "invitation/", "restore/"):
        body = {} if path == "link/" else None
        assert kim.post(f"studies/other/panel/{ada.code}/{path}", body).status_code == 404
    assert kim.delete(f"studies/other/panel/{ada.code}/link/").status_code == 404


def test_an_expert_is_invited_and_their_letter_queued(kim, study, settings, woken):
    settings.SENDS_MAIL = True
    body = {"name": "Ben", "email": "ben@reader.example", "language": "zh-hans", "send": True}
    made = kim.post(f"studies/{study.slug}/panel/", body)
    assert made.status_code == 201, made.json()
    assert Letter.objects.get().judge.code == made.json()["code"]
    twice = kim.post(f"studies/{study.slug}/panel/", body)
    assert twice.status_code == 409
    assert set(twice.json()["errors"]) == {"email"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"email": "nobody"}, "email"),
        ({"language": "tlh"}, "language"),
        ({"days": 0}, "days"),
        ({"send": True, "email": ""}, "email"),
    ],
)
def test_an_invitation_that_cannot_be_made_names_the_field(kim, study, settings, changes, field):
    settings.SENDS_MAIL = True
    body = {"name": "Ben", "email": "ben@reader.example", **changes}
    refused = kim.post(f"studies/{study.slug}/panel/", body)
    assert refused.status_code == 400
    assert set(refused.json()["errors"]) == {field}
    assert not Judge.objects.filter(study=study).exists()


def test_a_site_without_mail_promises_no_letter(kim, study, settings):
    settings.SENDS_MAIL = False
    body = {"name": "Ben", "email": "ben@reader.example", "send": True}
    refused = kim.post(f"studies/{study.slug}/panel/", body)
    assert set(refused.json()["errors"]) == {"send"}


def test_a_list_is_invited_as_a_whole_or_not_at_all(kim, study, ada):
    people = [{"name": "Ben"}, {"name": "Cara", "email": "ada@reader.example"}]
    refused = kim.post(f"studies/{study.slug}/invitations/", {"people": people})
    assert refused.status_code == 400
    assert [row["row"] for row in refused.json()["rows"]] == [2]
    assert study.judges.count() == 1
    people[1]["email"] = "cara@reader.example"
    made = kim.post(f"studies/{study.slug}/invitations/", {"people": people})
    assert made.status_code == 201
    assert [one["name"] for one in made.json()["experts"]] == ["Ben", "Cara"]


def test_a_bad_person_of_a_list_is_named_by_row_and_field(kim, study):
    people = [{"name": "Ben"}, {"name": "Cara", "email": "no address"}]
    refused = kim.post(f"studies/{study.slug}/invitations/", {"people": people})
    assert refused.status_code == 400
    assert [(row["row"], row["field"]) for row in refused.json()["rows"]] == [(2, "email")]


@pytest.mark.parametrize(
    ("people", "field", "reason"),
    [
        ([{"name": "Ben"}, {"name": "Cara", "group": "cooks"}], "group",
         "The study has no group cooks"),
        ([{"name": "Ben", "email": "b@reader.example"}, {"name": "B", "email": "B@reader.example"}],
         "email", "B@reader.example stands on row 1, too"),
        ([{"name": "Ben"}, {"name": "ben"}], "name", "ben stands on row 1, too"),
        ([{"name": "Ben"}, {"name": "Ada", "email": "ada@reader.example"}], "email",
         "ada@reader.example is on the panel already"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("grouped", [False, True])
def test_a_person_who_cannot_be_taken_is_named_as_they_were_sent(
    kim, study, ada, grouped, people, field, reason
):
    if grouped:
        study.groups.create(name="poets", judges_per_item=2)
    refused = kim.post(f"studies/{study.slug}/invitations/", {"people": people})
    assert refused.status_code == 400
    told = refused.json()
    assert told["errors"] == {f"people.1.{field}": [reason]}
    (row,) = told["rows"]
    assert (row["list"], row["row"], row["field"], row["reason"]) == ("people", 2, field, reason)
    assert "line" not in row["remedy"]
    assert list(study.judges.all()) == [ada]


def test_a_list_can_name_groups(kim, study):
    poets = study.groups.create(name="poets", judges_per_item=2)
    people = [{"name": "Ben", "group": "Poets"}, {"name": "Cara"}]
    made = kim.post(f"studies/{study.slug}/invitations/", {"people": people})
    assert made.status_code == 201, made.json()
    assert [one.group for one in study.judges.order_by("name")] == [poets, None]


def test_a_name_that_looks_like_a_table_stays_one_name(kim, study):
    people = [{"name": 'Ada "A", Lovelace\n; x'}, {"name": "=1+1"}]
    made = kim.post(f"studies/{study.slug}/invitations/", {"people": people})
    assert made.status_code == 201, made.json()
    assert [one["name"] for one in made.json()["experts"]] == ['Ada "A", Lovelace ; x', "=1+1"]


def test_a_link_opens_the_experts_page_and_a_new_one_ends_it(kim, study, ada):
    path = f"studies/{study.slug}/panel/{ada.code}/link/"
    first = kim.get(path).json()["address"]
    assert Client().get(first, follow=True).status_code == 200
    second = kim.post(path, {"days": 5})
    assert second.status_code == 201
    assert second.json()["address"] != first
    assert Client().get(first, follow=True).status_code == 404
    assert kim.get(path).json()["address"] == second.json()["address"]
    assert kim.delete(path).json() == {"given_back": 0}
    assert kim.get(path).status_code == 404


def test_who_read_a_link_is_noted_without_the_link(kim, study, ada):
    address = kim.get(f"studies/{study.slug}/panel/{ada.code}/link/").json()["address"]
    entry = Entry.objects.get(kind="link.shown")
    assert (entry.study, entry.actor) == (study.slug, "kim")
    assert address.rsplit("/", 2)[1] not in str(entry.__dict__)


def test_to_read_a_link_takes_the_scope_to_write(study, ada):
    reads = program(coordinator("lee"), "panel:read")
    assert reads.get(f"studies/{study.slug}/panel/").status_code == 200
    refused = reads.get(f"studies/{study.slug}/panel/{ada.code}/link/")
    assert refused.status_code == 403
    assert "panel:write" in refused.json()["detail"]


def test_reminders_and_messages_are_queued_once(kim, study, ada):
    at = f"studies/{study.slug}"
    assert kim.post(f"{at}/reminders/").json() == {"queued": 1, "left_out": []}
    body = {"to": "all", "subject": "Hello", "body": "Thank you.\n  Vera"}
    assert kim.post(f"{at}/messages/", body).json() == {"queued": 1}
    assert kim.post(f"{at}/panel/{ada.code}/invitation/").json() == {
        "queued": 1, "new_link": False
    }  # fmt: skip
    letters = kim.get(f"{at}/letters/", kind="message").json()["results"]
    assert [(one["expert"], one["subject"], one["asked_by"]) for one in letters] == [
        (ada.code, "Hello", "kim")
    ]
    assert kim.get(f"{at}/letters/", status="failed").json()["count"] == 0
    again = kim.post(f"{at}/letters/{letters[0]['id']}/again/")
    assert again.status_code == 409
    refused = kim.post(f"{at}/messages/", {**body, "to": "someone"})
    assert set(refused.json()["errors"]) == {"to"}


def test_within_a_day_of_the_last_letter_nobody_is_reminded_unless_that_is_meant(kim, study, ada):
    at = f"studies/{study.slug}"
    one = f"{at}/panel/{ada.code}/reminder/"
    assert kim.post(one).json() == {"queued": 1, "left_out": []}
    left_out = {"expert": ada.code, "name": "Ada", "reason": "A letter went to them within a day."}
    waiting = {**left_out, "reason": "A reminder to them is waiting already."}
    assert kim.post(one, {"again": True}).json() == {"queued": 0, "left_out": [waiting]}
    Letter.objects.update(status="done")
    for path in (f"{at}/reminders/", one):
        assert kim.post(path).json() == {"queued": 0, "left_out": [left_out]}
    assert kim.post(one, {"again": True}).json() == {"queued": 1, "left_out": []}
    assert Letter.objects.count() == 2


def test_a_letter_that_failed_is_sent_again_for_its_own_study_only(kim, study, ada):
    make_study(slug="other")
    failed = Letter.objects.create(judge=ada, kind="reminder", status="failed")
    assert kim.post(f"studies/other/letters/{failed.pk}/again/").status_code == 404
    assert kim.post(f"studies/{study.slug}/letters/{failed.pk}/again/").json() == {"queued": 1}


def test_rules_are_set_and_what_is_left_out_stays(kim, study):
    path = f"studies/{study.slug}/rules/"
    assert kim.get(path).json()["remind_after_days"] is None
    assert kim.put(path, {"remind_after_days": 7}).json()["remind_after_days"] == 7
    assert kim.put(path, {"reminders_at_most": 4}).json()["remind_after_days"] == 7
    refused = kim.put(path, {"reminders_at_most": 11})
    assert set(refused.json()["errors"]) == {"reminders_at_most"}


def test_an_open_link_lets_experts_in_until_it_is_stopped(kim, study):
    path = f"studies/{study.slug}/open-links/"
    made = kim.post(path, {"label": "Society", "quota": 3})
    assert made.status_code == 201, made.json()
    address = made.json()["address"]
    assert Client().get(address).status_code == 200
    listed = kim.get(path).json()["results"]
    assert [(one["label"], one["quota"], one["used"]) for one in listed] == [("Society", 3, 0)]
    assert "address" not in listed[0]
    one = f"{path}{made.json()['id']}/"
    assert kim.get(one).json()["address"] == address
    assert kim.delete(one).status_code == 204
    assert kim.get(one).json()["address"] is None
    assert Client().get(address).status_code == 404
    refused = kim.post(path, {"quota": 0})
    assert set(refused.json()["errors"]) == {"quota"}


def test_nobody_is_invited_to_a_closed_study(kim):
    closed = make_study()
    refused = kim.post(f"studies/{closed.slug}/panel/", {"name": "Late"})
    assert refused.status_code == 409
    assert kim.post(f"studies/{closed.slug}/open-links/", {"quota": 1}).status_code == 409


def test_the_ledger_tells_places_under_letters(kim):
    study = make_study(titles=["Dawn"], models=["Alpha"], judges=["Anna", "Ben"])
    told = kim.get(f"studies/{study.slug}/ledger/").json()
    assert (told["total"]["planned"], told["total"]["done"], told["total"]["free"]) == (4, 4, 0)
    assert [row["code"] for row in told["by_stratum"]] == ["A", "B"]


def test_past_z_the_ledger_counts_as_its_page_does(kim):
    study = shaped(strata=28, each=1)
    told = kim.get(f"studies/{study.slug}/ledger/").json()
    assert [row["code"] for row in told["by_stratum"]][-3:] == ["Z", "AA", "AB"]


def test_where_every_poem_is_in_a_group_nothing_is_raised_without_one(kim, study):
    poets = study.groups.create(name="poets", judges_per_item=2)
    study.items.update(group=poets)
    path, body = f"studies/{study.slug}/places/", {"judges_per_item": 9, "reason": "more"}
    refused = kim.post(path, body)
    assert refused.status_code == 409
    assert "name one of: poets" in refused.json()["errors"]["group"][0]
    assert not study.versions.exists()
    assert study.judges_per_item == type(study).objects.get().judges_per_item
    assert set(study.items.values_list("places", flat=True)) == {2}


def test_an_expert_is_withdrawn_and_restored_with_every_answer(kim):
    study = make_study(
        titles=["Dawn"], models=["Alpha"], judges=["Anna", "Ben"], unblinded=False
    )  # fmt: skip
    anna = study.judges.get(name="Anna")
    at = f"studies/{study.slug}/panel/{anna.code}"
    assert set(kim.post(f"{at}/withdraw/", {}).json()["errors"]) == {"reason"}
    assert kim.post(f"{at}/withdraw/", {"reason": "knew the poets"}).json() == {
        "given_back": 2,
        "looks": 0,
    }
    twice = kim.post(f"{at}/withdraw/", {"reason": "by mistake"})
    assert twice.status_code == 409
    assert "already" in twice.json()["detail"]
    assert kim.get(f"studies/{study.slug}/ledger/").json()["total"]["withdrawn"] == 2
    refused = kim.post(f"{at}/link/", {})
    assert refused.status_code == 409
    assert "bring them back first" in refused.json()["detail"]
    # Said in the answer, since results and export say it for good.
    InterimLook.objects.create(
        design=Design.objects.get(study=study),
        number=1,
        by=coordinator("ira"),
        reason="",
        judgments=2,
    )
    assert kim.post(f"{at}/restore/").json() == {"restored": 2, "looks": 1}


def test_once_the_key_is_unsealed_nobody_is_withdrawn_or_restored(kim):
    study = make_study(
        titles=["Dawn"], models=["Alpha"], judges=["Anna", "Ben"], unblinded=False
    )  # fmt: skip
    anna, ben = study.judges.order_by("name")
    withdraw(ben, "knew the poets")
    Design.objects.filter(study=study).update(unblinded_at=timezone.now())
    for judge, what in ((anna, "withdraw"), (ben, "restore")):
        path = f"studies/{study.slug}/panel/{judge.code}/{what}/"
        refused = kim.post(path, {"reason": "her results"} if judge == anna else None)
        assert refused.status_code == 409
        assert "unsealed" in refused.json()["detail"]
    assert list(study.judges.filter(withdrawn_at=None)) == [anna]


def test_an_open_link_can_be_for_one_group(kim, study):
    path = f"studies/{study.slug}/open-links/"
    study.groups.create(name="poets", judges_per_item=2)
    assert kim.post(path, {"quota": 3, "group": "cooks"}).json()["errors"] == {
        "group": ["The study has no such group."]
    }
    assert kim.post(path, {"quota": 3, "group": "Poets"}).json()["group"] == "poets"
    assert kim.post(path, {"quota": 3}).json()["group"] is None
    assert [row["group"] for row in kim.get(path).json()["results"]] == [None, "poets"]


def test_an_expert_is_replaced_by_somebody_else(kim, ada):
    at = f"studies/{ada.study.slug}/panel/{ada.code}"
    made = kim.post(f"{at}/replace/", {"name": "Ben", "email": "ben@reader.example"})
    assert made.status_code == 201, made.json()
    assert Judge.objects.get(code=made.json()["code"]).replaces == ada
    again = kim.post(f"{at}/replace/", {"name": "Cy"})
    assert again.status_code == 409
    assert "Ben is in the place of Ada already" in again.json()["detail"]


def test_answers_are_nowhere(kim):
    study = make_study(answers=lambda *_: 0.731)
    for path in ("", "items/", "progress/", "panel/", "letters/", "ledger/", "consent/"):
        told = kim.get(f"studies/{study.slug}/{path}").content.decode()
        # As a value of its own: among the digits of a time it means nothing.
        assert not re.search(r'[\s":,\[](0?\.)?731["\s,\]}]', told), told
    assert kim.get(f"studies/{study.slug}/results/").status_code == 403
    assert kim.get(f"studies/{study.slug}/export/").status_code == 403


@pytest.mark.parametrize(
    ("module", "what", "body"),
    [
        (panel, "link", {}),
        (ledger, "withdraw", {"reason": "knew the poets"}),
        (ledger, "restore", None),
        (ledger, "replace", {"name": "Ben"}),
        (letters, "invitation", None),
    ],
)
def test_about_whoever_deletes_themselves_meanwhile_a_program_is_told_so(
    kim, ada, monkeypatch, settings, module, what, body
):
    settings.SENDS_MAIL = True
    if what == "restore":
        withdraw(ada, "knew the poets")

    def read_and_left(*asked):
        found = expert_of(*asked)
        leaving.delete(Judge.objects.get(pk=ada.pk))
        return found

    monkeypatch.setattr(module, "expert_of", read_and_left)
    told = kim.post(f"studies/{ada.study.slug}/panel/{ada.code}/{what}/", body)
    assert told.status_code == 404
    assert told.json()["detail"] == "The expert, or the whole study, was deleted meanwhile."
    assert not Judge.objects.exists()
