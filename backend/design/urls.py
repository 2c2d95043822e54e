"""Addresses of the coordinator's pages."""

from django.urls import path

from backend.design import views

urlpatterns = [
    path("", views.studies, name="studies"),
    path("new/", views.new_study, name="new-study"),
    path("<slug:slug>/", views.study, name="study"),
    path("<slug:slug>/preview/", views.preview, name="preview"),
    path("<slug:slug>/open/", views.open_study, name="open-study"),
    path("<slug:slug>/close/", views.close, name="close-study"),
    path("<slug:slug>/discard/", views.discard, name="discard-study"),
    path("<slug:slug>/unblind/", views.unblind, name="unblind"),
    path("<slug:slug>/invite/", views.invite, name="invite"),
    path("<slug:slug>/panel/<str:code>/new-link/", views.new_link, name="new-link"),
    path("<slug:slug>/panel/<str:code>/revoke/", views.revoke, name="revoke"),
]
