"""People's accounts: an email or login name, a password, a person's own settings; and tries to sign in."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField


class User(AbstractUser):
    """Somebody who signs in: a requester, an annotator, or both."""

    display_name = models.CharField(_("name"), max_length=150, blank=True)
    shortcuts = JSONTextField(default=dict)  # {"off": bool, "keys": {action: key}}
    muted = JSONTextField(default=list)  # kinds of notices that they do not want
    language = models.CharField(max_length=10, blank=True, default="", db_default="")  # that letters to them are in

    class Meta(AbstractUser.Meta):
        constraints = [models.UniqueConstraint(Lower("username"), name="user_name_once")]

    def __str__(self) -> str:
        return self.display_name or self.username


class SignInTry(models.Model):
    """A try to sign in that failed, or is not decided yet; rows live for a minute (flow/throttling.py)."""

    key = models.CharField(max_length=64)  # keyed hash of name and address
    place = models.CharField(max_length=64, db_default="")  # keyed hash of the address alone
    at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["key", "at"], name="sign_in_tries"),
            models.Index(fields=["place", "at"], name="sign_in_tries_of_place"),
        ]
