"""Addresses of the pages about language models and their runs.

The page of one model has its own in `backend.config.urls`, where it is told which names are fixed.
"""

from django.urls import path

from backend.generation import views

urlpatterns = [
    path("", views.runs, name="runs"),
    path("new/", views.run_new, name="run-new"),
    path("import/", views.run_import, name="run-import"),
    path("models/", views.models, name="models"),
    path("models/new/", views.model_new, name="model-new"),
    path("runs/<int:key>/", views.run, name="run"),
    path("runs/<int:key>/progress/", views.run_progress, name="run-progress"),
    path("runs/<int:key>/retry/", views.run_retry, name="run-retry"),
    path("poems/<int:key>/", views.generation, name="generation"),
]
