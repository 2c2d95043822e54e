"""A study is opened and closed without a browser."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.studies.models import ConsentWording, Study
from backend.accounts.models import User
from backend.design import examples, instruments
from backend.design.freezing import fingerprint
from backend.design.models import Design, SurfaceCheck
from backend.design.services import open_study
from backend.generation.models import Generation
from tests.backend.design.material import MODEL, SOURCE, draft, material
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db


def told(command: str, *args: str, **options: Any) -> str:
    out = StringIO()
    call_command(command, *args, stdout=out, **options)
    return out.getvalue()


def opened(**changes: Any) -> str:
    return told(
        "open_study",
        **{
            "title": "Spring study",
            "contact": "panel@university.example",
            "instrument": "proftap-probability",
            "collection": f"{SOURCE} collection",
            "run": [f"{MODEL} run"],
            **changes,
        },
    )


def test_a_study_is_built_and_opened_with_a_working_link_for_each_expert():
    material()
    said = opened(
        invite=["Ada Expert", "Ben"], judges_per_item=3, base_url="https://blind.example/"
    )
    study = Study.objects.get()
    assert (study.state, study.judges_per_item, study.items.count()) == ("open", 3, 9)
    assert f"study {study.slug}\nitems 9\nfingerprint {fingerprint(study)}\n" in said
    links = re.findall(r"^link https://blind\.example(/invitation/\S+) (.+)$", said, re.MULTILINE)
    assert [name for _, name in links] == ["Ada Expert", "Ben"]
    for path, _ in links:
        assert Client().get(path).status_code == 302


def test_models_and_poems_are_chosen():
    material()
    opened(models=[f"{MODEL} Alpha"], poems=2, seed=5, titles=True, batch_size=7)
    study = Study.objects.get()
    assert (study.items.count(), study.seed, study.batch_size) == (4, 5, 7)
    assert study.items.exclude(title="").count() == 4


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"collection": "None such"}, f"no collection named 'None such'; there are: '{SOURCE}"),
        ({"run": ["None such"]}, "no run named"),
        ({"models": ["None such"]}, "no language model named"),
        (
            {"judges_per_item": 0},
            "judges_per_item: Ensure this value is greater than or equal to 1",
        ),
        ({"batch_size": -1}, "batch_size: Ensure this value is greater than or equal to 1"),
        ({"poems": 0}, "poems: Ensure this value is greater than or equal to 1"),
        ({"title": "T" * 121}, "title: Ensure this value has at most 120 characters"),
        (
            {"judges_per_item": 101},
            "judges_per_item: Ensure this value is less than or equal to 100",
        ),
        ({"seed": 2**70}, "seed: "),
        ({"poems": -1}, "poems: Ensure this value is greater than or equal to 1"),
        ({"instrument": "none"}, "There is no instrument 'none'; there are: "),
        ({"honorarium": "x" * 201}, "honorarium: Ensure this value has at most 200"),
    ],
)
def test_a_wrong_option_is_refused_by_name_and_nothing_is_built(changes, said):
    material()
    with pytest.raises(CommandError, match=re.escape(said)):
        opened(**changes)
    assert not Study.objects.exists()


def test_what_experts_are_told_and_asked_is_chosen(tmp_path):
    material()
    for name, text in (("en.txt", "Do you agree?\n"), ("zh.txt", "\ufeff您同意吗?")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    opened(
        consent_file=tmp_path / "en.txt",
        consent_file_zh=tmp_path / "zh.txt",
        promise="I promise.",
        honorarium="A book.",
        debrief=True,
        no_background=True,
    )
    study = Study.objects.get()
    assert (study.promise, study.honorarium) == ("I promise.", "A book.")
    assert (study.debriefs, study.asks_background) == (True, False)
    texts = dict(ConsentWording.objects.values_list("language", "text"))
    assert texts == {"en": "Do you agree?", "zh-hans": "您同意吗?"}


def test_without_options_the_usual_words_stand_and_a_background_is_asked_for():
    material()
    opened()
    study = Study.objects.get()
    assert study.promise.startswith("I will use no other source")
    assert (study.honorarium, study.debriefs, study.asks_background) == ("", False, True)
    assert set(ConsentWording.objects.values_list("language", flat=True)) == {"en", "zh-hans"}


def test_a_consent_file_that_is_missing_empty_or_no_text_is_refused_by_name(tmp_path):
    material()
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    for name, said in (
        ("none.txt", "cannot be read"),
        ("empty.txt", "is empty"),
        ("bytes.txt", "UTF-8"),
    ):
        with pytest.raises(CommandError, match=f"{name}.*{said}"):
            opened(consent_file=tmp_path / name)
    assert not Study.objects.exists()


def capitals(poems: int = 12) -> None:
    """Let all machine poems be in capitals: their surface tells them."""
    material(poems=poems, models=["Alpha"])
    for one in Generation.objects.all():
        one.text = f"ONE LINE --\nAND ANOTHER {one.pk} --"
        one.save()


def test_the_surface_check_is_made_and_the_checklist_printed():
    material()
    said = opened(contact="Kim")
    assert "ok There are texts to judge.\n" in said
    assert "warn “Kim” names no address that can be written to." in said
    assert "warn The surface check gives no figure: too few human texts" in said
    assert SurfaceCheck.objects.get().study == Study.objects.get()


def test_a_surface_that_tells_is_refused_and_nothing_stays_unless_a_reason_is_given():
    capitals()
    with pytest.raises(CommandError, match=r"The surface tells the texts apart: AUC 1\.00"):
        opened()
    assert not Study.objects.exists()
    opened(surface_reason="So they are printed.")
    study = Study.objects.get()
    assert study.state == "open"
    assert study.design.surface_reason == "So they are printed."


def test_rules_are_chosen(tmp_path):
    material()
    (tmp_path / "plan.txt").write_text("We test one thing.", encoding="utf-8")
    opened(
        dealing="draw", twins="last", apart=3, lease_days=2, late="in", repeats=1,
        unsealing_needs=1, surface_limit=0.8, interim_looks=True,
        analysis_plan_file=tmp_path / "plan.txt",
    )  # fmt: skip
    study = Study.objects.get()
    assert (study.dealing, study.twins, study.apart, study.late) == ("draw", "last", 3, "in")
    assert (study.lease_hours, study.repeats) == (48, 1)
    design = study.design
    assert (design.surface_limit, design.interim_looks) == (0.8, True)
    assert design.analysis_plan == "We test one thing."


def test_a_study_is_opened_on_an_own_instrument():
    material()
    instruments.save(instruments.as_text(examples.START))
    opened(instrument="my-instrument")
    assert Study.objects.get().instrument.title == "My instrument"


def test_an_empty_collection_is_refused_and_nothing_is_built():
    material(poems=0)
    with pytest.raises(CommandError, match="holds no poem"):
        opened(run=[])
    assert not Study.objects.exists()


def test_a_study_is_closed_and_unsealed_in_a_researchers_name():
    study, vera = open_study(draft()), researcher()
    said = told("close_study", study.slug, unblind="vera")
    assert said == f"closed {study.slug}\nunsealed in the name of vera\n"
    study.refresh_from_db()
    assert study.state == "closed"
    assert Design.objects.get().unblinded_by == vera


def test_a_closed_study_can_be_unsealed_later():
    study = open_study(draft())
    told("close_study", study.slug)
    assert Design.objects.get().unblinded_at is None
    researcher()
    assert told("close_study", study.slug, unblind="vera") == "unsealed in the name of vera\n"


def test_whoever_is_no_researcher_or_no_longer_one_unseals_nothing():
    study = open_study(draft())
    coordinator()
    researcher("gone")
    User.objects.filter(username="gone").update(is_active=False)
    for name in ("kim", "gone", "nobody"):
        with pytest.raises(CommandError, match=f"'{name}' is no researcher"):
            told("close_study", study.slug, unblind=name)
    study.refresh_from_db()
    assert study.state == "open"


def test_a_draft_or_an_unknown_study_is_not_closed():
    with pytest.raises(CommandError, match="no study 'spring'"):
        told("close_study", "spring")
    with pytest.raises(CommandError, match="Only an open study"):
        told("close_study", draft().slug)
