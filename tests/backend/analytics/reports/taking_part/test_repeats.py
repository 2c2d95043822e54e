"""Answers given twice, compared by hand."""

from collections.abc import Mapping

import pytest
from django.utils import timezone

from annotation.instruments.loading import published
from annotation.studies.models import Assignment, Item, Study
from backend.analytics.frames import frame
from backend.analytics.repeating import repeats
from backend.analytics.reports.taking_part.repeats import tables
from backend.analytics.tables import Table
from tests.backend.analytics.answering import again, answer, closed, pair_study, reopened
from tests.backend.analytics.reports.scales import figures, likert_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def item(study: Study, author: str, title: str) -> Item:
    found = Item.objects.filter(study=study)
    if author == "human":
        return found.get(placement__poem__title=title)
    return found.get(placement__generation__model__name=author, placement__generation__title=title)


def repeated(study: Study, name: str, author: str, title: str, said: Mapping[str, object]) -> Study:
    """Put a poem to an expert once more."""
    reopened(study)
    study.refresh_from_db()
    again(study, name, item(study, author, title), Assignment.Purpose.REPEAT, said)
    return closed(study)


def shown(study: Study) -> dict[str, Table]:
    found = frame(study)
    return {one.key: one for one in tables(found, repeats(study, found))}


def test_without_hidden_repeats_there_is_no_table() -> None:
    assert shown(likert_study()) == {}


def test_points_are_compared_as_the_same_and_within_one() -> None:
    # Anna said of the human poem 4 and N/A, of Alpha's 2 and 3. Ben of Alpha's 2, 4 and 5.
    study = likert_study()
    repeated(study, "Anna", "human", "Dawn", {"form": 3, "imagery": 0, "warmth": None})
    repeated(study, "Anna", "Alpha", "Dawn", {"form": 2, "imagery": 5, "warmth": 1})
    study = repeated(study, "Ben", "Alpha", "Dawn", {"form": 2, "imagery": 0, "warmth": 5})
    found = figures(shown(study)["repeats"])
    # Warmth counts for Ben alone: Anna had left it empty the first time.
    whole = found["all experts"]
    assert [whole[key].value for key in ("answers", "poems")] == [7, 2]
    # The same: N/A, Anna's 2, Ben's 2 and 5. Within 1 also 4 against 3; 3 and 5, 4 and N/A not.
    assert whole["same"].value == pytest.approx(4 / 7)
    assert whole["within_1"].value == pytest.approx(5 / 7)
    assert found["all experts, 2 imagery"]["same"].value == pytest.approx(1 / 3)
    own = sorted(
        tuple(row[key].value for key in ("answers", "same"))
        for label, row in found.items()
        if str(label).startswith("Expert")
    )
    assert own == [(3, pytest.approx(2 / 3)), (4, pytest.approx(2 / 4))]
    # Points both times: 4 3, 2 2, 3 5, 2 2, 5 5. Distances 1 + 4; by chance all with all.
    first, second = (4, 2, 3, 2, 5), (3, 2, 5, 2, 5)
    expected = sum((a - b) ** 2 for a in first for b in second) / 25
    assert whole["kappa"].value == pytest.approx(1 - (5 / 5) / expected)


def test_probabilities_have_a_mean_distance_and_an_icc() -> None:
    # Anna .3 then .5 of one poem, .6 then .5 of another: distances .2 and .1.
    said = {"Dawn": 0.3, "Dusk": 0.6}
    study = make_study(models=[], judges=["Anna"], answers=lambda _j, _a, title: said[title])
    for title in said:
        study = repeated(study, "Anna", "human", title, {"probability_human": 0.5})
    found = figures(shown(study)["repeats-probability"])["all experts"]
    assert found["apart"].value == pytest.approx(0.15)
    assert (found["answers"].value, found["poems"].value) == (2, 2)
    # Two by two: rows .3 .5 and .6 .5. Mean squares: poems .0225, occasions .0025, error .0225.
    assert found["icc"].value == pytest.approx(
        (0.0225 - 0.0225) / (0.0225 + 0.0225 + 2 * (0.0025 - 0.0225) / 2)
    )


def test_whoever_could_not_tell_gave_nothing_to_compare() -> None:
    data = published("proftap-probability")
    offers = {**data["questions"][0], "cannot_tell": "I cannot tell", "required": False}
    study = make_study(
        instrument={**data, "questions": [offers]}, models=[], judges=["Anna"], titles=["Dawn"]
    )
    study = repeated(study, "Anna", "human", "Dawn", {"probability_human": "cannot_tell"})
    assert shown(study) == {}


def test_what_was_withdrawn_or_came_late_is_not_compared() -> None:
    study = make_study(models=[], judges=["Anna"], titles=["Dawn", "Dusk"])
    for title in ("Dawn", "Dusk"):
        repeated(study, "Anna", "human", title, {"probability_human": 0.9})
    given = Assignment.objects.filter(purpose=Assignment.Purpose.REPEAT).order_by("pk")
    assert figures(shown(closed(study))["repeats-probability"])["all experts"]["answers"].value == 2
    Assignment.objects.filter(pk=given[0].pk).update(withdrawn_at=timezone.now())
    assert figures(shown(closed(study))["repeats-probability"])["all experts"]["answers"].value == 1
    late = given[1].judgment
    late.extra = True
    late.save()
    Study.objects.filter(pk=study.pk).update(late=Study.Late.OUT)
    assert shown(Study.objects.get(pk=study.pk)) == {}


@pytest.mark.parametrize("flipped", [False, True])
def test_the_same_text_is_the_same_choice_wherever_it_stood(flipped: bool) -> None:
    # First the human text stood as A and was chosen; then on the other side, or not.
    study = reopened(pair_study(lambda *_: {"human_text": 1}, titles=["Dawn"]))
    judge, pair = study.judges.get(), study.items.get()
    given = Assignment.objects.create(
        judge=judge, item=pair, purpose=Assignment.Purpose.REPEAT, counts=False, batch=2,
        position=9, flipped=flipped,
    )  # fmt: skip
    answer(given, {"human_text": 1})
    (table,) = shown(closed(study)).values()
    assert figures(table)["all experts"]["same"].value == (0 if flipped else 1)
    assert figures(table)["all experts"]["within_1"].reason == "no question has points"
