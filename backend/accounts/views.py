"""Signing in with a password. Experts never do: they come by personal link."""

from django.contrib.auth.views import LoginView


class SignIn(LoginView):
    """The sign-in page of staff."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True
