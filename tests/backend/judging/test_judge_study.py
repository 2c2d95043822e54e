"""``judge_study`` works through a study, goes on where it stopped, and tells what it could not."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.judgments.models import Judgment
from backend.generation.models import LanguageModel
from backend.judging.models import Hearing, Reply
from tests.annotation.panel import open_study
from tests.backend.judging.judge_server import SURVEY, Trouble, judge_server

# The command works in threads of its own, which see only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)


def told(study: str, *models: str, **options: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("judge_study", study, models=models, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def test_every_poem_is_judged_by_every_model():
    study = open_study(items=3)
    with judge_server(SURVEY) as script:
        out, err = told(study.slug, script.model().name, "built-in", threads=2)
    assert "Scripted judge: 3 of 3 judged\n" in out
    assert "baseline-judge (built-in, counts words): 3 of 3 judged\n" in out
    assert (err, len(script.asked), Judgment.objects.count()) == ("", 3, 6)


def test_what_could_not_be_judged_is_named_and_ends_with_an_error():
    study = open_study(items=2)
    with judge_server("four") as script:
        model = script.model().name
        err = StringIO()
        with pytest.raises(CommandError, match="Not judged: 2 of 2; --retry"):
            call_command("judge_study", study.slug, models=[model], stdout=StringIO(), stderr=err)
        assert len(script.asked) == 4
        assert err.getvalue().count("The reply holds no JSON object") == 2
        script.lines[:] = [SURVEY]
        with pytest.raises(CommandError, match="Not judged: 2 of 2"):
            told(study.slug, model)
        assert len(script.asked) == 4
        assert "2 of 2 judged" in told(study.slug, model, retry=True)[0]
    assert (Judgment.objects.count(), Reply.objects.count()) == (2, 6)


def test_run_again_it_asks_nothing_that_was_answered():
    study = open_study(items=2)
    with judge_server(SURVEY) as script:
        model = script.model().name
        first = told(study.slug, model)
        assert told(study.slug, model) == first
    assert len(script.asked) == 2


def test_stopped_it_says_how_to_go_on(monkeypatch):
    def ctrl_c(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("backend.judging.management.commands.judge_study.time.sleep", ctrl_c)
    study = open_study(items=2)
    # A pause has to be waited out, and meanwhile somebody stops the command.
    with judge_server(Trouble(503), SURVEY) as script:
        model = script.model().name
        with pytest.raises(CommandError, match="Run the same command again"):
            told(study.slug, model, threads=1)
        Hearing.objects.update(not_before=None)
        assert "2 of 2 judged" in told(study.slug, model)[0]
    assert len(script.asked) == 3


def test_a_worker_lost_too_often_is_given_up_and_not_waited_for():
    study = open_study(items=1)
    with judge_server(SURVEY) as script:
        model = script.model().name
        told(study.slug, model, background=True)
        Hearing.objects.update(status="running", attempts=4, leased_until="2026-01-01T00:00Z")
        with pytest.raises(CommandError, match="Not judged: 1 of"):
            told(study.slug, model)
    assert Hearing.objects.get().error_kind == "lost"


def test_in_the_background_it_only_queues():
    study = open_study(items=2)
    with judge_server(SURVEY) as script:
        out, _ = told(study.slug, script.model().name, background=True)
    assert "0 of 2 judged" in out
    assert (len(script.asked), Hearing.objects.filter(status="queued").count()) == (0, 2)


def test_a_temperature_is_sent():
    study = open_study(items=1)
    with judge_server(SURVEY) as script:
        told(study.slug, script.model().name, temperature=0.5)
    assert [asked["temperature"] for asked in script.asked] == [0.5]


def test_a_refused_key_ends_with_an_error_that_says_so():
    study = open_study(items=1)
    with (
        judge_server(Trouble(401)) as script,
        pytest.raises(CommandError, match="Not judged: 1 of"),
    ):
        told(study.slug, script.model().name)
    assert "The key was refused (401)" in Hearing.objects.get().error


@pytest.mark.parametrize(
    ("slug", "model", "options", "said"),
    [
        ("none", "built-in", {}, "There is no study 'none'"),
        ("", "nobody", {}, "no language model named 'nobody'; there are: 'Imported'"),
        ("", "Imported", {}, "'Imported' is here for its imported poems only"),
        ("", "built-in", {"threads": 0}, "--threads must be at least 1"),
    ],
)
def test_a_wrong_call_is_refused_by_name(slug, model, options, said):
    LanguageModel.objects.create(name="Imported", reach=LanguageModel.Reach.IMPORTED)
    study = open_study(items=1)
    with pytest.raises(CommandError, match=said):
        told(slug or study.slug, model, **options)
    assert not Hearing.objects.exists()


def test_a_study_that_is_not_open_is_refused():
    study = open_study()
    study.state = "closed"
    study.save()
    with pytest.raises(CommandError, match="is not open"):
        told(study.slug, "built-in")
