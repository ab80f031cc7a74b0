"""Forms of the engine's pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.models import User


class JoinForm(forms.Form):
    """A new account, made through an invite link."""

    username = forms.CharField(
        label=_("Login name"),
        max_length=150,
        help_text=_("What you sign in with: an email address or any name."),
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
        name = self.cleaned_data["username"].strip()
        User.username_validator(name)
        if User.objects.filter(username__iexact=name).exists():
            raise ValidationError(_("This name is taken. Choose another, or sign in if it is yours."))
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
