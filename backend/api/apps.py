"""App configuration."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "backend.api"

    def ready(self) -> None:
        # Describes the tokens in the schema; registered by being imported.
        from backend.api import describing  # noqa: F401
