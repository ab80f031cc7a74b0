"""Authentication by bearer token or by session."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
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


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call, misc]
    """The description of BearerAuthentication in the schema."""

    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "`manage.py create_api_token EMAIL` makes one."}
