"""Addresses of the pages about language models and their runs.

The page of one model has its own in `backend.config.urls`, where it is told which names are fixed.
"""

from django.urls import path

from backend.generation.views import catalogue, controls, models, poems, providers, runs

urlpatterns = [
    path("", runs.runs, name="runs"),
    path("new/", runs.run_new, name="run-new"),
    path("import/", runs.run_import, name="run-import"),
    path("models/", models.models, name="models"),
    path("models/new/", models.model_new, name="model-new"),
    path("models/catalogue/", catalogue.model_catalogue, name="model-catalogue"),
    path("models/<int:key>/test/", models.model_test, name="model-test"),
    path("models/<int:key>/delete/", models.model_delete, name="model-delete"),
    path("providers/", providers.providers, name="providers"),
    path("providers/new/", providers.provider_new, name="provider-new"),
    path("providers/<int:key>/", providers.provider_edit, name="provider-edit"),
    path("providers/<int:key>/delete/", providers.provider_delete, name="provider-delete"),
    path("runs/<int:key>/", runs.run, name="run"),
    path("runs/<int:key>/progress/", runs.run_progress, name="run-progress"),
    path("runs/<int:key>/pause/", controls.run_pause, name="run-pause"),
    path("runs/<int:key>/resume/", controls.run_resume, name="run-resume"),
    path("runs/<int:key>/cancel/", controls.run_cancel, name="run-cancel"),
    path("runs/<int:key>/retry/", controls.run_retry, name="run-retry"),
    path("runs/<int:key>/cap/", controls.run_cap, name="run-cap"),
    path("runs/<int:key>/models/", controls.run_models, name="run-models"),
    path("runs/<int:key>/poems.csv", runs.run_poems, {"form": "csv"}, name="run-csv"),
    path("runs/<int:key>/poems.jsonl", runs.run_poems, {"form": "jsonl"}, name="run-jsonl"),
    path("poems/<int:key>/", poems.generation, name="generation"),
    path("poems/<int:key>/correct/", poems.generation_correct, name="generation-correct"),
    path("poems/<int:key>/looked/", poems.generation_looked, name="generation-looked"),
]
