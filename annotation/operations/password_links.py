"""Links by which people set a new password: their paths, and the mail that brings one."""

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from annotation.models import User


def password_path(user: User) -> str:
    """The path of a link for the user; it works once, for three days, and not after they signed in."""
    key = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("password-reset", args=[key, default_token_generator.make_token(user)])


def mail_link(user: User) -> None:
    """Send a link to the user's own address. Raises OSError if that fails."""
    with translation.override(user.language or settings.LANGUAGE_CODE):
        text = _(
            "Set a new password for your account %(name)s within three days:\n%(url)s\n"
            "If you did not ask for it, do nothing."
        )
        values = {"name": user.username, "url": settings.PUBLIC_URL + password_path(user)}
        EmailMessage(_("Hopscribe: your new password"), text % values, to=[user.email]).send()
