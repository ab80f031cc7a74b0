"""Forms of joining, workers' details and messages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.models import User, Worker


class JoinForm(forms.Form):
    """A new account, through an invite link."""

    username = forms.CharField(
        label=_("Login name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "username", "spellcheck": "false"}),
        help_text=_("An email address or any name that you want to sign in with."),
    )
    display_name = forms.CharField(
        label=_("Your name"), max_length=150, required=False, help_text=_("Only the requester sees it.")
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least ten characters."),
    )

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"].strip()
        User.username_validator(name)
        if User.objects.named(name):
            raise ValidationError(_("This name is taken. Choose another one, or sign in if it is yours."))
        return name

    def clean(self) -> dict[str, Any]:
        user = User(username=self.cleaned_data.get("username", ""))
        if password := self.cleaned_data.get("password"):
            try:
                password_validation.validate_password(password, user)
            except ValidationError as weak:
                self.add_error("password", weak)
        return self.cleaned_data

    def save(self) -> User:
        return User.objects.create_user(
            self.cleaned_data["username"],
            password=self.cleaned_data["password"],
            display_name=self.cleaned_data["display_name"],
        )


class DetailsForm(forms.Form):
    """A worker's country, and whether adult content may be shown to them."""

    country = forms.RegexField(
        r"^[A-Za-z]{2}$",
        label=_("Country"),
        required=False,
        max_length=2,
        help_text=_("Two letters, such as DE or US. Some work is limited to certain countries."),
        error_messages={"invalid": _("Use the two-letter code of the country, such as DE or US.")},
        widget=forms.TextInput(attrs={"autocomplete": "country", "size": 4}),
    )
    subdivision = forms.RegexField(
        r"^[A-Za-z0-9]{1,3}$",
        label=_("State or province"),
        required=False,
        max_length=3,
        help_text=_("Up to three letters or digits, such as CA. Optional."),
        error_messages={"invalid": _("Use up to three letters or digits, such as CA.")},
        widget=forms.TextInput(attrs={"size": 4}),
    )
    adult = forms.BooleanField(label=_("I am of age and willing to see adult content"), required=False)

    @classmethod
    def of(cls, worker: Worker) -> DetailsForm:
        return cls(initial={name: getattr(worker, name) for name in cls.base_fields})

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        for name in ("country", "subdivision"):
            cleaned[name] = cleaned.get(name, "").upper()
        if cleaned["subdivision"] and not cleaned["country"] and not self.errors:
            self.add_error("country", _("Choose the country too."))
        return cleaned


class ReplyForm(forms.Form):
    """A reply in a conversation."""

    text = forms.CharField(label=_("Message"), max_length=4096, widget=forms.Textarea(attrs={"rows": 4}))


class MessageForm(ReplyForm):
    """A worker's message to a project's requesters."""

    field_order = ["subject", "text"]
    subject = forms.CharField(label=_("Subject"), max_length=200, required=False)
