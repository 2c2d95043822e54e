"""Every address of Blindverse."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from backend.config import demo, views
from backend.config.language import script_strings
from backend.design.freezing import fixes_name
from backend.generation.views.models import model_edit

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("", views.start, name="start"),
    path("help/", views.help_page, name="help"),
    path("strings/<str:language>.js", script_strings, name="script-strings"),
    path("", include("annotation.judgments.urls")),
    path("", include("backend.accounts.urls")),
    path("corpus/", include("backend.corpus.urls")),
    path(
        "generation/models/<int:key>/",
        model_edit,
        # A question to the room of the design, which the page of a model is below.
        {"is_name_fixed": fixes_name},
        name="model-edit",
    ),
    path("generation/", include("backend.generation.urls")),
    path("studies/", include("backend.design.urls")),
    path("studies/", include("backend.panel.urls")),
    path("studies/", include("backend.hooks.urls")),
    path("studies/", include("backend.judging.urls")),
    path("", include("backend.analytics.urls")),
    path("", include("backend.exports.urls")),
    path("", include("backend.api.urls")),
    path("admin/", admin.site.urls),
]

if settings.DEMO:
    urlpatterns.append(path("demo/<str:ticket>/", demo.enter_demo, name="demo"))

handler403 = "backend.config.views.forbidden"
handler404 = "backend.config.views.not_found"
handler500 = "backend.config.views.server_error"
