"""Addresses an expert can reach. None holds anything but a random token."""

from django.urls import path

from annotation.judgments import api, views

urlpatterns = [
    path("invitation/<str:secret>/", views.follow_link, name="invitation"),
    path("desk/<str:code>/", views.desk, name="desk"),
    path("desk/<str:code>/consent/", views.consent, name="consent"),
    path("desk/<str:code>/next/", views.next_poem, name="next-poem"),
    path("poem/<str:token>/", views.poem, name="poem"),
    path("api/assignments/<str:token>/", api.AssignmentView.as_view(), name="api-assignment"),
    path("api/assignments/<str:token>/draft/", api.DraftView.as_view(), name="api-draft"),
    path("api/assignments/<str:token>/judgment/", api.JudgmentView.as_view(), name="api-judgment"),
]
