"""Address of a study's data package."""

from django.urls import path

from backend.exports import views

urlpatterns = [path("studies/<slug:slug>/export/", views.export, name="export")]
