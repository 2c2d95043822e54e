"""The project's own app: its commands and start pages."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "backend.config"
    label = "config"
