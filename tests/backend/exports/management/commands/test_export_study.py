"""``manage.py export_study`` writes a whole file or none."""

import io
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from annotation.studies.models import Study
from backend.exports import services
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def test_it_writes_the_package_and_says_so(tmp_path: Path) -> None:
    make_study()
    target, said = tmp_path / "known.zip", io.StringIO()
    call_command("export_study", "known", to=target, stdout=said)
    assert "ratings.csv" in ZipFile(target).namelist()
    assert str(target) in said.getvalue()
    assert list(tmp_path.iterdir()) == [target]


def test_it_replaces_what_is_there(tmp_path: Path) -> None:
    make_study()
    target = tmp_path / "known.zip"
    target.write_text("of yesterday")
    call_command("export_study", "known", to=target, stdout=io.StringIO())
    assert ZipFile(target).testzip() is None


def test_an_unknown_study_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no study 'unknown'"):
        call_command("export_study", "unknown", to=tmp_path / "x.zip")


def test_a_sealed_study_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    make_study(unblinded=False)
    with pytest.raises(CommandError, match="close_study known --unblind"):
        call_command("export_study", "known", to=tmp_path / "x.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    make_study()
    with pytest.raises(CommandError, match="cannot be written: No such file or directory"):
        call_command("export_study", "known", to=tmp_path / "nowhere" / "x.zip")


def test_a_disk_that_fills_up_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fills_up(_study: Study, to: BinaryIO) -> None:
        to.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(services, "export", fills_up)
    make_study()
    target = tmp_path / "known.zip"
    target.write_text("of yesterday")
    with pytest.raises(CommandError, match="No space left on device"):
        call_command("export_study", "known", to=target)
    assert target.read_text() == "of yesterday"
    assert list(tmp_path.iterdir()) == [target]
