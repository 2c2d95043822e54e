"""Local copies of letters: those to one address go, all others stay."""

import pytest
from django.core.mail import EmailMessage, get_connection

from annotation.judgments.erasing import MAIL_IN_FILES, erase_letters

ADA, BEN = "ada@reader.example", "ben@reader.example"


@pytest.fixture
def folder(settings, tmp_path):
    settings.EMAIL_BACKEND = MAIL_IN_FILES
    settings.EMAIL_FILE_PATH = tmp_path
    return tmp_path


def write(*letters):
    """Let Django write these letters, each a recipient with the text, to one file."""
    messages = [EmailMessage("Poems wait", text, "us@site.example", [to]) for to, text in letters]
    get_connection(MAIL_IN_FILES).send_messages(messages)


def left(folder):
    return "".join(path.read_text() for path in folder.iterdir())


@pytest.mark.parametrize(
    "to",
    [
        ADA,
        "ADA@reader.example",
        f"Ada Lovelace <{ADA}>",
        f"李白 <{ADA}>",
        f'"Lovelace, Ada" <{ADA}>',
        f"Somebody with many given names and titles and honours all on one line <{ADA}>",
    ],
)
def test_a_letter_to_the_address_is_deleted_however_the_name_is_written(folder, to):
    write((to, "Hello."))
    assert erase_letters(ADA) == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("to", [BEN, "nada@reader.example", "ada@reader.example.org"])
def test_letters_to_others_stay_even_if_they_mention_the_address(folder, to):
    write((to, f"Did {ADA} write to you?"))
    before = left(folder)
    assert erase_letters(ADA) == 0
    assert left(folder) == before


def test_letters_to_others_in_the_same_file_stay(folder):
    write((BEN, "First of Ben."), (ADA, "To Ada."), (BEN, "Second of Ben."))
    assert len(list(folder.iterdir())) == 1
    assert erase_letters(ADA) == 1
    kept = left(folder)
    assert "First of Ben." in kept
    assert "Second of Ben." in kept
    assert "Ada" not in kept
    assert ADA not in kept


def test_a_line_of_hyphens_within_a_letter_saves_nothing_of_it(folder):
    write((ADA, "Before\n" + "-" * 79 + "\nafter the line, to Ada\n"), (BEN, "To Ben."))
    erase_letters(ADA)
    assert "Ada" not in left(folder)
    assert "To Ben." in left(folder)


def test_nothing_is_touched_where_there_is_no_address_or_mail_is_really_sent(folder, settings):
    write((ADA, "Hello."))
    assert erase_letters("") == 0
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert erase_letters(ADA) == 0
    assert "Hello." in left(folder)


def test_where_no_letter_was_ever_written_there_is_nothing_to_erase(settings, tmp_path):
    settings.EMAIL_BACKEND = MAIL_IN_FILES
    settings.EMAIL_FILE_PATH = tmp_path / "never made"
    assert erase_letters(ADA) == 0
