"""App configuration."""

from django.apps import AppConfig


class GenerationConfig(AppConfig):
    name = "backend.generation"
