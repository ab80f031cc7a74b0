"""Authentication by bearer token or by session."""

from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation.flow.projects import api_tokens
from annotation.models import ApiToken, User


class BearerAuthentication(BaseAuthentication):
    """Authentication by `Authorization: Bearer hop_…`; the request's `auth` is the ApiToken."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        kind, _space, text = get_authorization_header(request).partition(b" ")
        if kind.lower() != b"bearer":
            return None
        token = api_tokens.recognise(text.strip().decode("ascii", "replace"))
        if token is None:
            raise AuthenticationFailed(_("This token is not valid: it is unknown, revoked or expired."))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'
