"""Addresses: a person's own account, its second factor and its end."""

from django.urls import URLPattern, path

from annotation.views import account, erasing, second_factor

pages: list[URLPattern] = [
    path("accounts/", account.account, name="account"),
    path("accounts/password/", account.password_change, name="password-change"),
    path("accounts/delete/", account.account_delete, name="account-delete"),
    path("accounts/sign-in/code/", second_factor.sign_in_code, name="sign-in-code"),
    path("accounts/second-factor/", second_factor.second_factor, name="second-factor"),
    path(
        "accounts/second-factor/codes/",
        second_factor.second_factor_change,
        {"act": "codes"},
        name="second-factor-codes",
    ),
    path(
        "accounts/second-factor/remove/",
        second_factor.second_factor_change,
        {"act": "remove"},
        name="second-factor-remove",
    ),
    path("projects/<slug:slug>/people/annotators/<int:pk>/erase/", erasing.worker_erase, name="worker-erase"),
]
