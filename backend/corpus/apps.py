"""App configuration."""

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "backend.corpus"
