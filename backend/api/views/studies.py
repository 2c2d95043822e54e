"""Studies: listed, built, looked at, opened, closed, unsealed, discarded."""

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from backend.api.authentication import TokenRequest
from backend.api.describing import PageQuery, page_of
from backend.api.scopes import Scope
from backend.api.serializers.plans import NewStudySerializer
from backend.api.serializers.studies import (
    ChoicesSerializer,
    ConsentSerializer,
    ItemSerializer,
    NewConsentSerializer,
    ProgressSerializer,
    StudyQuery,
    StudySerializer,
    VersionSerializer,
)
from backend.api.views.base import StaffView, filled
from backend.api.visible import studies_of, study_of
from backend.corpus.models import Collection
from backend.design import services
from backend.design.instruments import offered
from backend.design.plan_form import PlanForm
from backend.design.progress import seats, totals
from backend.generation.models import LanguageModel, Run


class StudyView(StaffView):
    """Answers about studies."""

    tag = "Studies"
    reads, writes = Scope.STUDIES_READ, Scope.STUDIES_WRITE


class Choices(StudyView):
    """What a study can be built from."""

    @extend_schema(operation_id="list_choices", responses=ChoicesSerializer)
    def get(self, request: TokenRequest) -> Response:
        """List what a study can be built from, by name as the page does, and no poem."""
        models = LanguageModel.objects.filter(generations__isnull=False)
        shown = {
            "collections": Collection.objects.order_by("name"),
            "runs": Run.objects.order_by("-pk"),
            "models": models.distinct().order_by("name"),
            "instruments": [
                {"key": key, "title": data["title"]} for key, data in offered().items()
            ],
        }
        return Response(ChoicesSerializer(shown).data)


class Studies(StudyView):
    """The studies."""

    @extend_schema(
        operation_id="list_studies", parameters=[StudyQuery], responses=page_of(StudySerializer)
    )
    def get(self, request: TokenRequest) -> Response:
        """List the studies, newest first unless another order is asked for."""
        asked = self.query(StudyQuery)
        found = studies_of(request.user).filter(title__icontains=asked.get("search", ""))
        if "state" in asked:
            found = found.filter(state=asked["state"])
        if "language" in asked:
            found = found.filter(language__iexact=asked["language"])
        ordered = found.order_by(asked.get("ordering", "-created_at"), "-pk")
        return self.page(ordered, StudySerializer)

    @extend_schema(
        operation_id="build_study", request=NewStudySerializer, responses={201: StudySerializer}
    )
    def post(self, request: TokenRequest) -> Response:
        """Build a draft: blinded items, and their sealed key."""
        asked = self.read(NewStudySerializer)
        form = filled(PlanForm, asked.as_filled_in(), told=asked.as_sent)
        study = services.build(form.plan(), by=request.user)
        return Response(StudySerializer(study).data, status=201)


class StudyDetail(StudyView):
    """One study."""

    @extend_schema(operation_id="read_study", responses=StudySerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Show one study."""
        return Response(StudySerializer(study_of(request.user, slug)).data)

    @extend_schema(operation_id="discard_study", responses={204: None})
    def delete(self, request: TokenRequest, slug: str) -> Response:
        """Delete a draft whose panel is empty and that was not tried out."""
        services.discard(study_of(request.user, slug), by=request.user)
        return Response(status=204)


class Items(StudyView):
    """A study's items."""

    @extend_schema(
        operation_id="list_items", parameters=[PageQuery], responses=page_of(ItemSerializer)
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List the items as judges will see them, in no telling order."""
        self.query(PageQuery)
        items = study_of(request.user, slug).items.judged()
        return self.page(items.order_by("pk"), ItemSerializer)


class Progress(StudyView):
    """How far a study is."""

    @extend_schema(operation_id="read_progress", responses=ProgressSerializer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Say how far a study is, without a word of authorship or results."""
        study = study_of(request.user, slug)
        deleted = {name: getattr(study, name) for name in ("experts_deleted", "judgments_deleted")}
        shown = {**asdict(seats(study)), **asdict(totals(study)), **deleted}
        return Response(ProgressSerializer(shown).data)


class Consent(StudyView):
    """The versions of a study's consent text."""

    @extend_schema(
        operation_id="list_consent_texts",
        parameters=[PageQuery],
        responses=page_of(ConsentSerializer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """List the consent texts, the newest version first."""
        self.query(PageQuery)
        wordings = study_of(request.user, slug).consent_wordings
        return self.page(wordings.order_by("-version", "language"), ConsentSerializer)

    @extend_schema(
        operation_id="renew_consent",
        request=NewConsentSerializer,
        responses={201: VersionSerializer},
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Publish a new version: every expert is asked again before the next poem."""
        study = study_of(request.user, slug)
        texts = self.asked(NewConsentSerializer)["texts"]
        stored = {language: text.replace("\r\n", "\n") for language, text in texts.items()}
        version = services.renew_consent(study, stored, by=request.user)
        return Response({"version": version}, status=201)


class Close(StudyView):
    """Closes a study."""

    @extend_schema(operation_id="close_study", request=None, responses=StudySerializer)
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Stop giving out poems; what still arrives is kept and marked extra."""
        services.close(study_of(request.user, slug), by=request.user)
        return shown(request, slug)


def shown(request: TokenRequest, slug: str) -> Response:
    """Answer with the study as it is now."""
    return Response(StudySerializer(study_of(request.user, slug)).data)
