"""Forms of a person's own account: profile, password, two-factor authentication, API tokens, deletion."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.flow.people import shortcuts
from annotation.forms.projects import ConsoleForm
from annotation.models import ApiToken, User, clock

CODE = forms.TextInput(attrs={"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"})


class CodeForm(ConsoleForm):
    """The second step of signing in."""

    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=CODE,
        help_text=_("Six digits from your authenticator, or one of your backup codes."),
    )


class PasswordForm(ConsoleForm):
    """A form that asks for the password again."""

    def __init__(self, user: User, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.user = user

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def clean_password(self) -> str:
        typed: str = self.cleaned_data["password"]
        if not self.user.check_password(typed):
            raise ValidationError(_("This is not your current password."))
        return typed


class ProfileForm(PasswordForm):
    """A person's name and email; a new email, to which password links are sent, needs the password."""

    field_order = ("display_name", "email", "password")

    display_name = forms.CharField(
        label=_("Your name"), max_length=150, required=False, help_text=_("Only people who run your projects see it.")
    )
    email = forms.EmailField(
        label=_("Email"),
        max_length=254,
        required=False,
        help_text=_("For payments, messages from your requesters and password links. It is not part of any export."),
    )

    def __init__(self, user: User, *args: Any, **more: Any) -> None:
        super().__init__(user, *args, **more)
        self.fields["password"].required = False
        self.fields["password"].help_text = _("Only needed to change the email.")

    def clean_password(self) -> str:
        wanted = self.cleaned_data.get("email", self.user.email) != self.user.email
        return super().clean_password() if wanted else ""


class ProofForm(PasswordForm):
    """Password and a code, for changes of how the person signs in."""

    code = forms.CharField(label=_("Code"), max_length=40, widget=CODE, help_text=_("Six digits."))


class DeletionForm(PasswordForm):
    """Deletion of the account: password, login name, and giving up what is owed."""

    field_order = ("username", "password", "waive")
    username = forms.CharField(
        label=_("Your login name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    waive = forms.BooleanField(label=_("I give up the money I am owed"))

    def __init__(self, user: User, owed: Decimal, *args: Any, **more: Any) -> None:
        super().__init__(user, *args, **more)
        if not owed:
            del self.fields["waive"]

    def clean_username(self) -> str:
        typed: str = self.cleaned_data["username"].strip()
        if typed != self.user.username:
            raise ValidationError(_("Type the login name exactly as shown above."))
        return typed


NEVER = "0"
DAYS = [("30", _("30 days")), ("90", _("90 days")), ("365", _("a year")), (NEVER, _("until it is revoked"))]


class TokenForm(ConsoleForm):
    """Purpose, permission and duration of a token."""

    note = forms.CharField(
        label=_("Purpose"), max_length=100, help_text=_("For example the notebook or server that uses it.")
    )
    scope = forms.ChoiceField(
        label=_("Permission"),
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.WRITE,
        help_text=_("It never has more rights than you have in this project."),
    )
    days = forms.ChoiceField(label=_("Valid for"), choices=DAYS, initial="90")

    def ends(self) -> datetime | None:
        """When the token expires, if ever."""
        days = self.cleaned_data["days"]
        return None if days == NEVER else clock.now() + timedelta(days=int(days))


class ShortcutsForm(ConsoleForm):
    """Single keys on or off, and `key-<action>` for each action that has a changeable key."""

    single = forms.BooleanField(
        label=gettext_lazy("Single-key shortcuts"),
        required=False,
        help_text=gettext_lazy("If they are off, letters and symbols alone do nothing, and Ctrl+Enter still submits."),
    )

    def __init__(self, stored: Mapping[str, Any], data: Any = None) -> None:
        own = stored.get("keys", {})
        initial = {f"key-{name}": own.get(name, "") for name in shortcuts.actions()}
        super().__init__(data, initial={"single": not stored.get("off", False), **initial})
        self.elsewhere = {name: key for name, key in own.items() if name not in shortcuts.actions()}
        for name, action in shortcuts.actions().items():
            self.fields[f"key-{name}"] = _key_field(action)

    def rows(self) -> list[dict[str, Any]]:
        """The table: each action's field, and the titles of the tasks that have it."""
        return [
            {"field": self[f"key-{name}"], "tasks": [] if action.everywhere else [gettext(t) for t in action.tasks]}
            for name, action in shortcuts.actions().items()
        ]

    def chosen(self) -> dict[str, str]:
        """The person's own keys by action, including those of other pages."""
        named = {name: self.cleaned_data.get(f"key-{name}", "") for name in shortcuts.actions()}
        return self.elsewhere | {name: key for name, key in named.items() if key}

    def clean(self) -> None:
        for name, problem in shortcuts.conflicts(self.chosen()).items():
            if f"key-{name}" in self.fields:
                self.add_error(f"key-{name}", problem)


def _key_field(action: shortcuts.Action) -> forms.CharField:
    attributes = {"maxlength": 1, "placeholder": action.key, "data-single": True, "spellcheck": "false"}
    attributes |= {"autocapitalize": "none", "autocomplete": "off", "class": "key"}
    labels = dict.fromkeys(gettext(text).partition(" (")[0] for text in action.labels)  # without the help in brackets
    label = " · ".join(labels)
    return forms.CharField(label=label, required=False, widget=forms.TextInput(attrs=attributes))
