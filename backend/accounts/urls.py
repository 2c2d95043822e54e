"""Signing in and out."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from backend.accounts.views import SignIn

urlpatterns = [
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
]
