"""Signing in with a password. Experts never do: they come by personal link."""

from django.contrib.auth.views import LoginView


class SignIn(LoginView):
    """The sign-in page of staff."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def get_success_url(self) -> str:
        """Return where to go next; never this page, which would go round in a circle."""
        url = super().get_success_url()
        here = url.partition("?")[0] == self.request.path
        return self.get_default_redirect_url() if here else url
