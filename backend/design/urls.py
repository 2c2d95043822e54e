"""Addresses of the coordinator's pages."""

from django.urls import path

from backend.design import instrument_views, views

urlpatterns = [
    path("", views.studies, name="studies"),
    path("new/", views.new_study, name="new-study"),
    path("instruments/", instrument_views.instrument_list, name="instruments"),
    path("instruments/new/", instrument_views.new_instrument, name="new-instrument"),
    path("instruments/<slug:key>/", instrument_views.instrument, name="instrument"),
    path("<slug:slug>/", views.study, name="study"),
    path("<slug:slug>/preview/", views.preview, name="preview"),
    path("<slug:slug>/consent/", views.study_consent, name="study-consent"),
    path("<slug:slug>/open/", views.open_study, name="open-study"),
    path("<slug:slug>/close/", views.close, name="close-study"),
    path("<slug:slug>/discard/", views.discard, name="discard-study"),
    path("<slug:slug>/unblind/", views.unblind, name="unblind"),
]
