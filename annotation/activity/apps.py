"""App configuration."""

from django.apps import AppConfig


class ActivityConfig(AppConfig):
    name = "annotation.activity"
