"""The package is for researchers, and only once the key is unsealed."""

import io
from zipfile import ZipFile

import pytest
from django.test import Client

from backend.exports.services import export
from tests.studies import coordinator, make_study, researcher

pytestmark = pytest.mark.django_db

PAGE = "/studies/known/export/"


@pytest.fixture
def signed_in(client: Client) -> Client:
    client.force_login(researcher())
    return client


def test_the_page_says_what_is_inside(signed_in: Client) -> None:
    make_study()
    answer = signed_in.get(PAGE)
    assert answer.status_code == 200
    page = answer.content.decode()
    for name in ("ratings.csv", "poems.csv", "judges.csv", "codebook.md", "SHA256SUMS"):
        assert f"<code>{name}</code>" in page


def test_the_button_hands_out_the_package(signed_in: Client) -> None:
    study = make_study()
    answer = signed_in.post(PAGE)
    content = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    file = io.BytesIO()
    export(study, file)
    assert answer["Content-Disposition"] == 'attachment; filename="known.zip"'
    assert content == file.getvalue()
    assert ZipFile(io.BytesIO(content)).testzip() is None


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_sealed_study_is_refused_and_told_what_to_do(signed_in: Client, method: str) -> None:
    make_study(unblinded=False)
    answer = getattr(signed_in, method)(PAGE)
    assert answer.status_code == 409
    assert "still sealed" in answer.content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_coordinator_is_refused(client: Client, method: str) -> None:
    make_study()
    client.force_login(coordinator())
    assert getattr(client, method)(PAGE).status_code == 403


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stranger_is_sent_to_sign_in(client: Client, method: str) -> None:
    make_study()
    answer = getattr(client, method)(PAGE)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")
