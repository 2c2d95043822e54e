"""App configuration."""

from django.apps import AppConfig


class HooksConfig(AppConfig):
    name = "backend.hooks"
