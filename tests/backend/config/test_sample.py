"""The sample study opens once, and its experts' links go on working."""

import pytest

from annotation.studies import links
from annotation.studies.models import Study
from backend.config import demo
from backend.design import services as design
from tests.backend.design.material import material

pytestmark = pytest.mark.django_db


def secrets(study: Study) -> list[str | None]:
    """Return the secrets of the sample's experts, of those links that are not stopped."""
    return [
        links.secret_of(invitation)
        for judge in study.judges.order_by("name")
        for invitation in judge.invitations.standing()
    ]


def test_the_samples_experts_keep_their_links_unless_the_sites_key_changes(settings) -> None:
    run = material().run
    first = secrets(demo.open_sample(run))
    assert len(first) == 2
    assert secrets(demo.open_sample(run)) == first
    settings.SECRET_KEY = "another key of the site"
    second = secrets(demo.open_sample(run))
    assert len(second) == 2
    assert not set(first) & set(second)
    assert [links.follow(secret).judge.name for secret in second] == list(demo.EXPERTS)


def test_a_closed_sample_is_left_as_it_is() -> None:
    run = material().run
    study = demo.open_sample(run)
    design.close(study)
    study.judges.get(name=demo.EXPERTS[0]).invitations.all().delete()
    assert len(secrets(demo.open_sample(run))) == 1
