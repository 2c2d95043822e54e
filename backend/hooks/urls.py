"""Addresses of the page of hooks."""

from django.urls import path

from backend.hooks import views

urlpatterns = [
    path("<slug:slug>/hooks/", views.hooks, name="hooks"),
    path("<slug:slug>/hooks/add/", views.add, name="add-hook"),
    path("<slug:slug>/hooks/<int:key>/ping/", views.ping, name="ping-hook"),
    path("<slug:slug>/hooks/<int:key>/stop/", views.stop, name="stop-hook"),
    path("<slug:slug>/hooks/<int:key>/start/", views.start, name="start-hook"),
    path("<slug:slug>/hooks/<int:key>/delete/", views.remove, name="delete-hook"),
    path("<slug:slug>/hooks/deliveries/<int:key>/again/", views.again, name="deliver-again"),
]
