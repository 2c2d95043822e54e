"""App configuration."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "backend.judging"
