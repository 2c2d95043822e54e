"""Addresses an expert can reach. None holds anything but random secrets and tokens."""

from django.urls import include, path

from annotation.judgments import api, taking_part, views

own = [
    path("", views.desk, name="desk"),
    path("consent/", taking_part.consent, name="consent"),
    path("about-you/", taking_part.background, name="background"),
    path("next/", views.next_poem, name="next-poem"),
    path("welcome/", taking_part.welcome, name="welcome"),
    path("poem/<slug:token>/", views.poem, name="poem"),
    path("poem/<slug:token>/change/", views.change, name="change"),
    path("display/", taking_part.display, name="display"),
    path("answers/", views.answers, name="answers"),
    path("answers.json", views.answers_file, name="answers-file"),
    path("leave/", taking_part.leave, name="leave"),
    path("certificate/", taking_part.certificate, name="certificate"),
]

asked = [
    path("", api.AssignmentView.as_view(), name="api-assignment"),
    path("draft/", api.DraftView.as_view(), name="api-draft"),
    path("stage/", api.StageView.as_view(), name="api-stage"),
    path("judgment/", api.JudgmentView.as_view(), name="api-judgment"),
]

urlpatterns = [
    path("invitation/<str:key>/", taking_part.follow_link, name="invitation"),
    path("invitation/<str:key>/again/", taking_part.send_again, name="send-again"),
    path("invitation/<str:key>/leave/", taking_part.leave_by_mail, name="leave-by-mail"),
    path("join/<str:secret>/", taking_part.join, name="join"),
    path("deleted/<str:receipt>/", taking_part.deleted, name="deleted"),
    path("desk/<str:key>/", include(own)),
    path("api/desk/<str:key>/next/", api.NextView.as_view(), name="api-next"),
    path("api/desk/<str:key>/poem/<slug:token>/", include(asked)),
]
