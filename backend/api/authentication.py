"""Who asks, and whether they may: by the token in a request's header, never by a session."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from backend.accounts.models import User
from backend.api import services
from backend.api.models import Token
from backend.api.scopes import RESEARCHERS, Scope, granted

__all__ = ["BearerToken", "HasScope", "PerToken", "TokenRequest"]


class TokenRequest(Request):
    """A request that was let in by a token."""

    user: User
    auth: Token


class BearerToken(BaseAuthentication):
    """Knows a user by ``Authorization: Bearer bv_...``. No cookie, so nothing can be forged."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return who asks.

        Raises
        ------
        rest_framework.exceptions.AuthenticationFailed
            If the header holds no token that opens anything.
        """
        scheme, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
        if not scheme:
            return None
        token = services.find(secret.strip()) if scheme.lower() == "bearer" else None
        if token is None:
            raise AuthenticationFailed("The token is unknown, or it has expired or was revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Blindverse"'


class HasScope(BasePermission):
    """Lets in whose token has the scope that the view names, while the user's role allows it."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return whether somebody is known at all.

        Raises
        ------
        rest_framework.exceptions.PermissionDenied
            If the token lacks the scope, which is named.
        """
        token = request.auth
        if not isinstance(token, Token):
            return False
        scope: Scope | None = getattr(view, "scope_of", lambda _method: None)(request.method)
        if scope is None:
            return True
        if scope not in granted(token.user, token.scopes):
            raise PermissionDenied(_lacking(token, scope))
        if getattr(view, "for_researchers", False) and not token.user.researches:
            raise PermissionDenied("This is for researchers.")
        return True


class PerToken(SimpleRateThrottle):
    """Answers 429 to a token that asks too often, counted in the site's cache.

    That is the memory of each web process unless the site sets another, so that several processes
    together let more through.
    """

    scope = "token"

    def get_rate(self) -> str | None:
        # Read when asked: the base class reads the settings once, when it is imported.
        rate = api_settings.DEFAULT_THROTTLE_RATES.get(self.scope)
        return str(rate) if rate else None

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return f"api-token-{request.auth.pk}" if isinstance(request.auth, Token) else None


def _lacking(token: Token, scope: Scope) -> str:
    if scope in token.scopes and scope in RESEARCHERS:
        return f"The scope {scope.value} is for researchers, which {token.user} is not."
    return f"The token lacks the scope {scope.value}; make one that has it under /account/tokens/."
