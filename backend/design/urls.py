"""Addresses of the coordinator's pages."""

from django.urls import path

from backend.design import (
    builder_views,
    instrument_views,
    surface_views,
    unsealing_views,
    views,
)

urlpatterns = [
    path("", views.studies, name="studies"),
    path("new/", builder_views.new_study, name="new-study"),
    path("new/counts/", builder_views.counts, name="study-counts"),
    path("instruments/", instrument_views.instrument_list, name="instruments"),
    path("instruments/new/", instrument_views.new_instrument, name="new-instrument"),
    path("instruments/<slug:key>/", instrument_views.instrument, name="instrument"),
    path("<slug:slug>/", views.study, name="study"),
    path("<slug:slug>/preview/", views.preview, name="preview"),
    path("<slug:slug>/surface/", surface_views.surface, name="surface"),
    path("<slug:slug>/surface/limit/", surface_views.limit, name="surface-limit"),
    path("<slug:slug>/pilot/", builder_views.pilot, name="pilot-study"),
    path("<slug:slug>/consent/", views.study_consent, name="study-consent"),
    path("<slug:slug>/open/", views.open_study, name="open-study"),
    path("<slug:slug>/close/", views.close, name="close-study"),
    path("<slug:slug>/discard/", views.discard, name="discard-study"),
    path("<slug:slug>/unblind/", unsealing_views.unblind, name="unblind"),
    path("<slug:slug>/unsealing/", unsealing_views.page, name="unsealing"),
    path("<slug:slug>/unsealing/take-back/", unsealing_views.take_back, name="take-back-unsealing"),
]
