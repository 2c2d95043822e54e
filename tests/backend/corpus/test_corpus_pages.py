"""The corpus pages: for researchers, from upload to the poem set as verse."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from backend.accounts.models import User
from backend.corpus.models import Collection, PendingImport, Poem
from backend.corpus.services import import_poems

CSV = b'title,content,form,author\nOde,"O wild\n\n  west wind",Ode,Shelley\nSong,Sing,Song,Blake\n'
FOREIGN = "Titel,Gedicht\nErlkönig,Wer reitet\n".encode("windows-1252")


def signed_in(role: str) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(f"{role}@example.org", role=role))
    return client


@pytest.fixture
def researcher(db: None) -> Client:
    return signed_in("researcher")


@pytest.fixture
def shelf(db: None) -> Collection:
    return import_poems(CSV, file_name="verse.csv", collection="Verse").collection


def upload(client: Client, content: bytes, **answers: str):  # type: ignore[no-untyped-def]
    file = SimpleUploadedFile("verse.csv", content)
    return client.post(reverse("import-poems"), {"file": file, "collection": "Verse", **answers})


def addresses(shelf: Collection) -> list[str]:
    poem = shelf.poems.first()
    assert poem is not None
    return [
        reverse("collections"),
        reverse("collection", args=[shelf.pk]),
        reverse("poem-detail", args=[poem.pk]),
        reverse("import-poems"),
        reverse("import-columns", args=[1]),
    ]


def test_a_visitor_is_sent_to_sign_in(shelf: Collection) -> None:
    for address in addresses(shelf):
        assert Client().get(address)["Location"] == f"{reverse('sign-in')}?next={address}"


def test_a_coordinator_may_not_see_who_wrote_what(shelf: Collection) -> None:
    client = signed_in("coordinator")
    assert {client.get(address).status_code for address in addresses(shelf)} == {403}


@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_researchers_and_admins_open_every_page(shelf: Collection, role: str) -> None:
    client = signed_in(role)
    statuses = [client.get(address).status_code for address in addresses(shelf)]
    assert statuses == [200, 200, 200, 200, 302]


def test_an_empty_corpus_says_what_to_do(researcher: Client) -> None:
    page = researcher.get(reverse("collections")).content.decode()
    assert "No poems yet" in page
    assert reverse("import-poems") in page


def test_collections_are_listed_with_their_forms_and_languages(
    researcher: Client, shelf: Collection
) -> None:
    page = " ".join(researcher.get(reverse("collections")).content.decode().split())
    assert "Ode 1, Song 1" in page
    assert "en 2" in page


def test_an_upload_is_imported_and_its_collection_shown(researcher: Client) -> None:
    answer = upload(researcher, CSV)
    shelf = Collection.objects.get()
    assert answer["Location"] == reverse("collection", args=[shelf.pk])
    assert shelf.files.get().imported_by == User.objects.get()
    page = researcher.get(answer["Location"]).content.decode()
    assert "2 poems added to “Verse”, 0 known already." in page
    assert "Shelley" in page


def test_problems_are_shown_with_line_column_reason_and_remedy(researcher: Client) -> None:
    answer = upload(researcher, b"title,content\nA,\n")
    page = " ".join(answer.content.decode().split())
    assert answer.status_code == 422
    assert "Nothing was imported: 1 problem." in page
    for cell in (
        "2",
        "content",
        "The text is blank",
        "Write the poem&#x27;s text or remove the row",
    ):
        assert f">{cell}</td>" in page
    assert not Collection.objects.exists()


def test_unknown_columns_are_asked_for_without_another_upload(researcher: Client) -> None:
    answer = upload(researcher, FOREIGN, encoding="windows-1252", language="de")
    pending = PendingImport.objects.get()
    assert answer["Location"] == reverse("import-columns", args=[pending.pk])
    assert "Gedicht" in researcher.get(answer["Location"]).content.decode()
    assert not Poem.objects.exists()
    done = researcher.post(answer["Location"], {"title": "Titel", "text": "Gedicht"})
    poem = Poem.objects.get()
    assert done["Location"] == reverse("collection", args=[poem.collection.pk])
    assert (poem.title, poem.text, poem.language) == ("Erlkönig", "Wer reitet", "de")
    assert not PendingImport.objects.exists()
    again = researcher.post(answer["Location"], {"title": "Titel", "text": "Gedicht"})
    assert again["Location"] == reverse("import-poems")


def test_a_title_and_a_text_must_be_chosen(researcher: Client) -> None:
    address = upload(researcher, FOREIGN, encoding="windows-1252")["Location"]
    assert researcher.post(address, {"title": "Titel"}).status_code == 422
    assert not Poem.objects.exists()


def test_problems_after_the_mapping_keep_the_file(researcher: Client) -> None:
    address = upload(researcher, b"Titel,Gedicht\nA,\n")["Location"]
    answer = researcher.post(address, {"title": "Titel", "text": "Gedicht"})
    assert answer.status_code == 422
    assert "The text is blank" in answer.content.decode()
    assert PendingImport.objects.exists()


def test_a_file_that_waits_is_its_user_s_alone(researcher: Client) -> None:
    address = upload(researcher, FOREIGN, encoding="windows-1252")["Location"]
    other = signed_in("admin")
    assert other.get(address)["Location"] == reverse("import-poems")
    assert PendingImport.objects.exists()


def test_a_file_that_waited_a_day_is_gone_at_the_next_upload(researcher: Client) -> None:
    upload(researcher, FOREIGN, encoding="windows-1252")
    yesterday = timezone.now() - timedelta(hours=25)
    PendingImport.objects.update(created_at=yesterday)
    upload(researcher, FOREIGN, encoding="windows-1252")
    assert PendingImport.objects.get().created_at > yesterday


def test_a_file_beyond_the_limit_is_refused_in_words(
    researcher: Client, settings: LazySettings
) -> None:
    settings.CORPUS_FILE_LIMIT = 2**20
    answer = upload(researcher, b"x" * (2**20 + 1))
    assert answer.status_code == 422
    assert "The file is larger than 1 MiB." in answer.content.decode()


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ("", ["Ode", "Song"]),
        ("?words=WEST", ["Ode"]),
        ("?words=blake", ["Song"]),
        ("?words=od", ["Ode"]),
        ("?form=Song", ["Song"]),
        ("?words=o&form=Ode", ["Ode"]),
        ("?words=nothing", []),
        ("?form=Epic", ["Ode", "Song"]),
        ("?words=%00", ["Ode", "Song"]),
        ("?page=99", ["Ode", "Song"]),
    ],
)
def test_a_collection_is_searched(
    researcher: Client, shelf: Collection, asked: str, titles: list[str]
) -> None:
    answer = researcher.get(reverse("collection", args=[shelf.pk]) + asked)
    assert [poem.title for poem in answer.context["page"]] == titles


def test_long_lists_come_in_pages_that_keep_the_search(researcher: Client) -> None:
    rows = "".join(f"Ode {n},O\n" for n in range(60))
    report = import_poems(
        f"title,content\n{rows}".encode(), file_name="odes.csv", collection="Odes"
    )
    address = reverse("collection", args=[report.collection.pk])
    page = researcher.get(f"{address}?words=ode")
    assert len(page.context["page"]) == 50
    assert "?words=ode&amp;page=2" in page.content.decode()
    assert len(researcher.get(f"{address}?words=ode&page=2").context["page"]) == 10


def test_a_poem_is_set_as_verse_and_escaped(researcher: Client) -> None:
    content = b'title,content,url\nOde,"One<b>\r\n\r\n  Two",javascript:alert(1)\n'
    shelf = import_poems(content, file_name="a.csv", collection="Verse").collection
    page = researcher.get(reverse("poem-detail", args=[shelf.poems.get().pk])).content.decode()
    assert page.count('class="stanza"') == 2
    assert "in-2" in page
    assert "One&lt;b&gt;" in page
    assert 'href="javascript' not in page


def test_pages_take_few_queries_however_many_poems(
    researcher: Client, shelf: Collection, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(5):  # type: ignore[operator]
        researcher.get(reverse("collections"))
    with django_assert_max_num_queries(7):  # type: ignore[operator]
        researcher.get(reverse("collection", args=[shelf.pk]))
