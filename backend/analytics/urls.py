"""Addresses of a study's results, and of what its experts are told at the end."""

from django.urls import path

from backend.analytics import views

urlpatterns = [
    path("studies/<slug:slug>/results/", views.results, name="results"),
    path("studies/<slug:slug>/look/", views.interim, name="interim-look"),
    path("desk/<str:key>/debrief/", views.debrief, name="debrief"),
    path("results/<slug:slug>/<slug:key>/", views.table_page, name="results-page"),
    path("results/<slug:slug>/<slug:key>.csv", views.table, name="results-table"),
]
