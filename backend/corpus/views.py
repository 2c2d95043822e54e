"""Pages on which researchers import poems and read them. Nobody else sees who wrote what."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from backend.accounts.access import StaffRequest, researchers_only
from backend.corpus import services
from backend.corpus.catalogue import holdings
from backend.corpus.forms import ColumnsForm, SearchForm, UploadForm
from backend.corpus.models import Collection, PendingImport, Poem
from backend.corpus.problems import ColumnsMissing, ImportRefused

ON_A_PAGE = 50
ANNOTATION = (
    *("author", "form", "year", "metre", "rhyme", "theme", "imagery"),
    *("source", "edition", "url", "language"),
)


@researchers_only
@require_GET
def collections(request: StaffRequest) -> HttpResponse:
    """List every collection with what it holds."""
    return render(request, "corpus/collections.html", {"holdings": holdings()})


@researchers_only
@require_GET
def collection(request: StaffRequest, pk: int) -> HttpResponse:
    """List the poems of a collection, those asked for."""
    shelf = get_object_or_404(Collection, pk=pk)
    search = SearchForm(request.GET, forms_there=shelf.poems.forms())
    asked = search.cleaned_data if search.is_valid() else {}
    poems = shelf.poems.containing(asked.get("words", "")).of_form(asked.get("form", ""))
    page = Paginator(poems, ON_A_PAGE).get_page(request.GET.get("page"))
    files = shelf.files.select_related("imported_by")
    context = {"collection": shelf, "search": search, "page": page, "files": files}
    return render(request, "corpus/collection.html", context)


@researchers_only
@require_GET
def poem_detail(request: StaffRequest, pk: int) -> HttpResponse:
    """Show one poem, set as verse, with its annotation."""
    poem = get_object_or_404(Poem.objects.select_related("collection"), pk=pk)
    annotation = [(field, value) for field in ANNOTATION if (value := getattr(poem, field))]
    # Kept as it came; set with one kind of line break.
    text = poem.text.replace("\r\n", "\n").replace("\r", "\n")
    context = {"poem": poem, "text": text, "annotation": annotation}
    return render(request, "corpus/poem.html", context)


@researchers_only
@require_http_methods(["GET", "POST"])
def import_poems(request: StaffRequest) -> HttpResponse:
    """Take a file of poems; where its columns are not known, ask for them on the next page."""
    if request.method == "GET":
        return _upload_page(request, UploadForm(initial=request.GET.dict()))
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _upload_page(request, form)
    file = form.cleaned_data["file"]
    upload = {"content": file.read(), "file_name": file.name, "user": request.user} | {
        name: form.cleaned_data[name] for name in ("collection", "encoding", "language")
    }
    try:
        report = services.import_poems(**upload)
    except ColumnsMissing:
        return redirect("import-columns", services.keep_upload(**upload).pk)
    except ImportRefused as refused:
        return _upload_page(request, form, refused)
    return _imported(request, report)


@researchers_only
@require_http_methods(["GET", "POST"])
def import_columns(request: StaffRequest, pk: int) -> HttpResponse:
    """Ask which column of a kept file feeds which field, and import it."""
    pending = PendingImport.objects.filter(user=request.user, pk=pk).first()
    if pending is None:
        messages.info(
            request, "That file was imported already or waited too long. Choose it again."
        )
        return redirect("import-poems")
    answers = request.POST if request.method == "POST" else None
    form = ColumnsForm(answers, header=services.header_of(pending))
    refused = None
    if form.is_valid():
        try:
            return _imported(request, services.import_kept(pending, form.cleaned_data))
        except ImportRefused as error:
            refused = error
    context = {"form": form, "pending": pending, "refused": refused}
    status = 422 if request.method == "POST" else 200
    return render(request, "corpus/import_columns.html", context, status=status)


def _upload_page(
    request: StaffRequest, form: UploadForm, refused: ImportRefused | None = None
) -> HttpResponse:
    names = Collection.objects.values_list("name", flat=True)
    context = {"form": form, "refused": refused, "names": names}
    status = 422 if request.method == "POST" else 200
    return render(request, "corpus/import.html", context, status=status)


def _imported(request: StaffRequest, report: services.Report) -> HttpResponse:
    messages.success(request, str(report))
    return redirect("collection", report.collection.pk)
