"""The Django project: settings, addresses, background work and the map from errors to HTTP."""

from backend.config.celery import app as celery

__all__ = ["celery"]
