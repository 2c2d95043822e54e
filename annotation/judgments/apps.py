"""App configuration."""

from django.apps import AppConfig


class JudgmentsConfig(AppConfig):
    name = "annotation.judgments"
