"""Addresses of the machine judges' pages."""

from django.urls import path

from backend.judging import views

urlpatterns = [
    path("<slug:slug>/machine-judges/", views.judging, name="judging"),
    path("<slug:slug>/machine-judges/progress/", views.judging_progress, name="judging-progress"),
    path("<slug:slug>/machine-judges/again/", views.ask_again, name="ask-again"),
]
