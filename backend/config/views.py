"""Start page, health checks and the pages for errors."""

from django.conf import settings
from django.db import connection
from django.db.utils import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from redis import Redis
from redis.exceptions import RedisError

from annotation.judgments.access import speak
from annotation.studies.models import Study
from backend.config import demo


@never_cache
@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """The start page: what to do next, for whoever comes."""
    if not request.user.is_authenticated:
        speak(request)
    sample = Study.objects.filter(title=demo.TITLE).first() if settings.DEMO else None
    context = {"demo_links": demo.links(sample) if sample else [], "demo": settings.DEMO}
    return render(request, "config/start.html", context)


@require_GET
def help_page(request: HttpRequest) -> HttpResponse:
    """How each part uses Blindverse."""
    return render(request, "config/help.html")


@never_cache
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """Whether this process answers at all."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_GET
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether what it needs answers: the database, and Redis where it is used."""
    checks = {}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        checks["database"] = "ok"
    except DatabaseError:
        checks["database"] = "no answer"
    if settings.REDIS_URL:
        try:
            with Redis.from_url(settings.REDIS_URL, socket_timeout=2) as redis:
                redis.ping()
            checks["redis"] = "ok"
        except RedisError:
            checks["redis"] = "no answer"
    ready = set(checks.values()) == {"ok"}
    return JsonResponse(checks, status=200 if ready else 503)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    _speak_to_experts(request)
    return render(request, "config/404.html", status=404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    _speak_to_experts(request)
    return render(request, "config/403.html", {"reason": str(exception)}, status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    _speak_to_experts(request)
    return render(request, "config/500.html", status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    _speak_to_experts(request)
    return render(request, "config/csrf.html", status=403)


def _speak_to_experts(request: HttpRequest) -> None:
    """Explain an error in the reader's language; a page that chose one keeps it."""
    judge = getattr(request, "judge", None)
    speak(request, judge.language if judge else "")
