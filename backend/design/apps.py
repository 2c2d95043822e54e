"""App configuration."""

from django.apps import AppConfig


class DesignConfig(AppConfig):
    name = "backend.design"
