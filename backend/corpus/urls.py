"""Addresses of the corpus pages, under ``corpus/``."""

from django.urls import path

from backend.corpus import views

urlpatterns = [
    path("", views.collections, name="collections"),
    path("import/", views.import_poems, name="import-poems"),
    path("import/<int:pk>/", views.import_columns, name="import-columns"),
    path("<int:pk>/", views.collection, name="collection"),
    path("poems/<int:pk>/", views.poem_detail, name="poem-detail"),
]
