"""The settings of mail: what each address means, and a wrong one named with its remedy."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from backend.config import environment

ROOT = Path(__file__).resolve().parents[3]
SMTP = "django.core.mail.backends.smtp.EmailBackend"
DEPLOYED = {
    "BLINDVERSE_MODE": "deployed",
    "BLINDVERSE_SECRET_KEY": "a-secret-that-only-this-test-knows-0123456789-abcdefg",
    "BLINDVERSE_HOSTS": "poems.example.org",
    "DATABASE_URL": "postgres://blindverse:secret@localhost:5432/blindverse",
    "REDIS_URL": "redis://localhost:6379/0",
}


@pytest.fixture
def mail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    def read(value: str) -> dict[str, Any]:
        monkeypatch.setenv("BLINDVERSE_MAIL", value)
        return environment.mail("BLINDVERSE_MAIL", default="", folder=tmp_path)

    return read


@pytest.mark.parametrize(
    ("value", "host", "port", "user", "password", "ssl", "tls"),
    [
        ("smtp://vera:pa%40ss@mail.example:587", "mail.example", 587, "vera", "pa@ss", 0, 1),
        ("smtp://vera:p@mail.example", "mail.example", 587, "vera", "p", 0, 1),
        ("smtp://v%40u.example:p@mail.example:25/", "mail.example", 25, "v@u.example", "p", 0, 1),
        ("smtps://vera:p@mail.example", "mail.example", 465, "vera", "p", 1, 0),
        ("smtp://relay", "relay", 25, "", "", 0, 0),
        ("smtps://relay:1465", "relay", 1465, "", "", 1, 0),
    ],
)  # fmt: skip
def test_a_servers_address_is_taken_apart_and_no_password_goes_in_the_clear(
    mail, value, host, port, user, password, ssl, tls
):
    assert mail(value) == {
        "EMAIL_BACKEND": SMTP,
        "EMAIL_HOST": host,
        "EMAIL_PORT": port,
        "EMAIL_HOST_USER": user,
        "EMAIL_HOST_PASSWORD": password,
        "EMAIL_USE_SSL": bool(ssl),
        "EMAIL_USE_TLS": bool(tls),
    }


def test_letters_go_to_files_to_the_log_or_nowhere(mail, tmp_path):
    assert mail("file:") == {
        "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
        "EMAIL_FILE_PATH": str(tmp_path),
    }
    assert mail("console:") == {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    assert mail("") == {}


@pytest.mark.parametrize(
    "value",
    [
        "mail.example",
        "http://mail.example",
        "smtp://",
        "smtp://vera@mail.example",
        "smtp://:hunter2@mail.example",
        "smtp://vera:hunter2@mail.example:port",
        "smtp://vera:hunter2@mail.example:0",
        "smtp://vera:hunter2@mail.example/path",
        "smtp://vera:hun#ter2@mail.example",
        "smtp://vera:hunter2@[mail",
        "file:/tmp/mail",
    ],
)
def test_what_is_no_mail_server_is_refused_without_showing_the_password(mail, value):
    with pytest.raises(ImproperlyConfigured, match="BLINDVERSE_MAIL is not") as refused:
        mail(value)
    assert "hunter2" not in str(refused.value)
    assert "smtp://user:password@host:587" in str(refused.value)


@pytest.mark.parametrize("value", ["poems@example.org", "Poem study <poems@example.org>"])
def test_a_sender_is_an_address_perhaps_with_a_name(monkeypatch, value):
    monkeypatch.setenv("FROM", value)
    assert environment.sender("FROM", None) == value


@pytest.mark.parametrize("value", ["poems", "@example.org", "poems@", "Poems <>", "a\nb <c>"])
def test_a_sender_without_address_is_refused(monkeypatch, value):
    monkeypatch.setenv("FROM", value)
    with pytest.raises(ImproperlyConfigured, match="set it to an address"):
        environment.sender("FROM", None)


@pytest.mark.parametrize("value", ["https://poems.example.org", "http://localhost:8000"])
def test_the_sites_address_has_no_slash_at_its_end(monkeypatch, value):
    for given in (value, f"{value}/"):
        monkeypatch.setenv("HERE", given)
        assert environment.site("HERE", "") == value


@pytest.mark.parametrize(
    "value",
    ["poems.example.org", "ftp://poems", "https://", "https://a/b", "https://a:x", "http://a?b"],
)
def test_what_is_no_address_of_a_site_is_refused(monkeypatch, value):
    monkeypatch.setenv("HERE", value)
    with pytest.raises(ImproperlyConfigured, match=r"https://poems\.example\.org"):
        environment.site("HERE", "")


def settings(tmp_path: Path, **given: str) -> "subprocess.CompletedProcess[str]":
    """Read the settings in an environment that holds these and no other."""
    show = (
        "from django.conf import settings as s; "
        "print(s.SENDS_MAIL, s.EMAIL_BACKEND.split('.')[-2], s.ADDRESS, s.DEFAULT_FROM_EMAIL)"
    )
    return subprocess.run(
        [sys.executable, "-c", show],
        env={
            "PATH": os.environ["PATH"],
            "BLINDVERSE_DATA": str(tmp_path),
            "DJANGO_SETTINGS_MODULE": "backend.config.settings",
            **given,
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


MAIL = {"BLINDVERSE_MAIL": "smtp://relay:25", "BLINDVERSE_MAIL_FROM": "p@example.org"}
HERE = {"BLINDVERSE_ADDRESS": "https://poems.example.org"}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, "True filebased http://localhost:8000 Blindverse <blindverse@localhost>"),
        (
            {"PORT": "9000"},
            "True filebased http://localhost:9000 Blindverse <blindverse@localhost>",
        ),
        (MAIL, "True smtp http://localhost:8000 p@example.org"),
        (DEPLOYED, "False smtp  Blindverse <blindverse@localhost>"),
        (DEPLOYED | MAIL | HERE, "True smtp https://poems.example.org p@example.org"),
    ],
)
def test_each_way_to_run_has_its_mail(tmp_path, given, shown):
    read = settings(tmp_path, **given)
    assert read.stderr == ""
    assert read.stdout == f"{shown}\n"


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        (DEPLOYED | MAIL, "BLINDVERSE_ADDRESS"),
        (DEPLOYED | HERE | {"BLINDVERSE_MAIL": "smtp://relay"}, "BLINDVERSE_MAIL_FROM"),
        (DEPLOYED | {"BLINDVERSE_MAIL": "console:"}, "BLINDVERSE_ADDRESS"),
    ],
)
def test_what_mail_needs_is_asked_for_at_the_start(tmp_path, given, lacking):
    stopped = settings(tmp_path, **given)
    assert stopped.returncode != 0
    assert re.search(rf"{lacking} is not set; .*\.env\.example", stopped.stderr)
