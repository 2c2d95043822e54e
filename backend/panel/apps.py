"""App configuration."""

from django.apps import AppConfig


class PanelConfig(AppConfig):
    name = "backend.panel"
