"""What experts are told and asked: the usual words, and a coordinator's own."""

import pytest

from annotation.studies.models import ConsentWording, Study
from backend.design import services
from backend.design.services import SameWording, WrongState
from tests.backend.design.material import draft, material

pytestmark = pytest.mark.django_db


def texts(study: Study, version: int = 1) -> dict[str, str]:
    rows = ConsentWording.objects.filter(study=study, version=version)
    return dict(rows.values_list("language", "text"))


def test_the_usual_text_stands_in_both_languages_and_names_title_and_contact():
    study = draft(material(poems=1), title="On {form}", contact="{nobody} <a@b.example>")
    said = texts(study)
    assert set(said) == {"en", "zh-hans"}
    assert all("On {form}" in text and "{nobody} <a@b.example>" in text for text in said.values())
    assert "Pause or leave the study" in said["en"]
    assert "暂停或退出研究" in said["zh-hans"]


def test_the_usual_text_says_whether_experts_are_told_afterwards_who_wrote_what():
    shelf = material(poems=1)
    untold, told = (texts(draft(shelf, debriefs=debriefs)) for debriefs in (False, True))
    assert "You will not be told who wrote them. Do as many" in untold["en"]
    assert "我们不会告诉您诗的作者是谁。评多评少" in untold["zh-hans"]
    assert "while the study lasts; once it is closed and its key is opened, you can" in told["en"]
    assert "研究结束并公开作者之后，您可以用同一链接查看" in told["zh-hans"]


@pytest.mark.parametrize("contact", ["panel@university.example", "王老师。", "Prof. Li, room 3"])
def test_the_usual_chinese_text_ends_with_the_contact_as_it_was_written(contact):
    assert texts(draft(contact=contact))["zh-hans"].endswith(f"请联系：{contact}")


def test_own_words_are_taken_as_they_are_and_no_usual_text_stands_beside_them():
    shelf = material(poems=1)
    assert texts(draft(shelf, consent="Mine.")) == {"en": "Mine."}
    assert texts(draft(shelf, consent_zh="我的。")) == {"zh-hans": "我的。"}
    both = draft(shelf, consent="Mine.", consent_zh="我的。")
    assert texts(both) == {"en": "Mine.", "zh-hans": "我的。"}


def test_the_first_text_of_a_chinese_study_is_its_english_one():
    study = draft(instrument="proftap-probability-zh", consent="Mine.", consent_zh="我的。")
    assert study.language == "zh-hans"
    assert texts(study) == {"en": "Mine.", "zh-hans": "我的。"}


@pytest.mark.parametrize(
    ("instrument", "promised"),
    [
        (
            "proftap-probability",
            "I will use no other source and no other help, of people or computers, while I judge.",
        ),
        ("proftap-probability-zh", "评判期间"),
        ("poemetric-survey", ""),
        ("pair-choice", ""),
    ],
)
def test_where_a_probability_is_asked_for_no_other_help_is_promised(instrument, promised):
    shelf = material()
    study = draft(shelf, instrument=instrument)
    assert study.promise.startswith(promised)
    assert bool(study.promise) is bool(promised)
    assert draft(shelf, instrument=instrument, promise="Mine.").promise == "Mine."


def test_what_else_experts_are_told_and_asked_is_the_plans():
    study = draft(honorarium="A book.", asks_background=True, debriefs=True)
    study.refresh_from_db()
    assert (study.honorarium, study.asks_background, study.debriefs) == ("A book.", True, True)


def test_an_open_study_gets_a_new_version_and_keeps_the_old_one():
    study = services.open_study(draft())
    assert services.renew_consent(study, {"en": "New.", "zh-hans": "  "}) == 2
    assert texts(study, 2) == {"en": "New."}
    assert set(texts(study, 1)) == {"en", "zh-hans"}


def test_a_version_that_says_nothing_new_is_refused():
    study = services.open_study(draft())
    for same in (texts(study), {}, {"en": " \n"}):
        with pytest.raises(SameWording):
            services.renew_consent(study, same)
    assert ConsentWording.objects.filter(study=study).count() == 2


def test_only_an_open_study_gets_a_new_version():
    study = draft()
    with pytest.raises(WrongState):
        services.renew_consent(study, {"en": "New."})
    services.open_study(study)
    services.close(study)
    with pytest.raises(WrongState):
        services.renew_consent(study, {"en": "New."})
