"""Whoever reads the log cannot answer as an expert."""

import logging
import re

import pytest
from django.test import Client

from annotation.judgments import presenting
from tests.annotation.panel import desk, enter, expert, open_study


@pytest.mark.django_db
def test_a_page_that_fails_is_logged_without_the_key_in_its_address(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client = enter(Client(raise_request_exception=False), expert(open_study()))
    plain = next(each.formatter for each in logging.root.handlers if _is_ours(each))

    def fail(judge: object) -> None:
        raise RuntimeError(f"no way to {desk(client)}leave/")

    monkeypatch.setattr(presenting, "progress", fail)
    assert client.get(desk(client)).status_code == 500
    told = "\n".join(plain.format(record) for record in caplog.records)
    assert client.key in caplog.text, "nothing was there to cut out"
    assert client.key not in told
    assert re.search(r"Internal Server Error: /desk/\.\.\./$", told, re.M)
    assert "RuntimeError: no way to /desk/.../leave/" in told


def _is_ours(handler: logging.Handler) -> bool:
    return type(handler.formatter).__module__ == "backend.config.logs"
