"""Addresses of a study's results."""

from django.urls import path

from backend.analytics import views

urlpatterns = [
    path("studies/<slug:slug>/results/", views.results, name="results"),
    path("results/<slug:slug>/<slug:key>.csv", views.table, name="results-table"),
]
