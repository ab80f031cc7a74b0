"""Django system checks of the configuration; docs/administrators.md lists them."""

import os
import sqlite3
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DEFAULT_DB_ALIAS, connection, connections

from annotation.operations.replaced_migrations import too_old

SAFE_SQLITE = (3, 51, 3)  # the release that mended SQLite's WAL-reset bug


@register(Tags.database)
def sqlite_is_set_up(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """W001: the linked SQLite may corrupt a database under several writers. E001: unsafe options."""
    if connection.vendor != "sqlite":
        return []
    found: list[CheckMessage] = []
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        text = f"SQLite {sqlite3.sqlite_version} has a known bug that can damage a database in WAL mode."
        hint = (
            "It needs several processes writing at the same instant. Use PostgreSQL (DATABASE_URL) for more than some "
            "ten people at once, or link SQLite 3.51.3 or newer; and keep backups (docs/administrators.md)."
        )
        found.append(Warning(text, hint=hint, id="hopscribe.W001"))
    options: Any = settings.DATABASES["default"].get("OPTIONS", {})
    if options.get("transaction_mode") != "IMMEDIATE" or "synchronous=FULL" not in options.get("init_command", ""):
        hint = "Keep transaction_mode IMMEDIATE and PRAGMA synchronous=FULL, as annotation/settings.py sets them."
        text = "SQLite is not configured to keep committed data in a crash."
        found.append(Error(text, hint=hint, id="hopscribe.E001"))
    return found


@register(Tags.database)
def postgres_keeps_commits(
    app_configs: Sequence[AppConfig] | None, databases: Any = None, **_: Any
) -> list[CheckMessage]:
    """E002: PostgreSQL acknowledges commits before writing them. Only if checks may query the database."""
    if connection.vendor != "postgresql" or not databases:
        return []
    found: list[CheckMessage] = []
    with connection.cursor() as cursor:
        for name in ("fsync", "synchronous_commit"):
            cursor.execute("SELECT current_setting(%s)", [name])
            value = cursor.fetchone()[0]
            if value == "off":
                hint = f"Set {name} = on in postgresql.conf, or submitted responses can be lost in a crash."
                found.append(Error(f"PostgreSQL runs with {name} = off.", hint=hint, id="hopscribe.E002"))
    return found


@register(Tags.database)
def not_too_old(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """E006: the database lacks migrations that one has replaced, so that `migrate` could not go on from it."""
    found = [why for alias in databases or () if (why := too_old(connections[alias]))]
    return [
        Error(f"{text}.", hint=hint, id="hopscribe.E006") for text, _, hint in (why.partition(". ") for why in found)
    ]


@register(Tags.database)
def not_emptied(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """E007: the database is empty although this home has been in use, so that `migrate` would hide the loss."""
    from annotation.operations.upgrade import emptied  # needs the models, which are loaded after the checks

    if DEFAULT_DB_ALIAS not in (databases or ()) or not (why := emptied()):
        return []
    text, _sentence, hint = why.partition(". ")
    return [Error(f"{text}.", hint=hint, id="hopscribe.E007")]


@register(Tags.security)
def key_is_long(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """E003: a short SECRET_KEY can be guessed."""
    if len(settings.SECRET_KEY) >= 50:
        return []
    hint = "Set SECRET_KEY to at least 50 random characters."
    return [Error("SECRET_KEY is too short.", hint=hint, id="hopscribe.E003")]


@register(Tags.security)
def public_hosts_use_https(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """W002: without HTTPS, passwords are sent in plain text."""
    if settings.LOCAL or settings.HTTPS:
        return []
    hint = "Put a TLS proxy in front and leave HTTPS unset (or 1)."
    return [Warning("Other machines are served without HTTPS.", hint=hint, id="hopscribe.W002")]


@register()
def is_at_the_root(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """E008: links to pages, files and frames begin at the root of the host."""
    named = {"PUBLIC_URL": urlsplit(settings.PUBLIC_URL).path, "SCRIPT_NAME": os.environ.get("SCRIPT_NAME", "")}
    hint = "Give the site a host of its own, as annotate.example.org, and proxy all of it."
    return [
        Error(f"{name} has the path {path}, but the site works only at the root.", hint=hint, id="hopscribe.E008")
        for name, path in named.items()
        if path.strip("/")
    ]


@register(Tags.security)
def debug_is_off(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """E004: debug pages show gold and settings to workers."""
    if not settings.DEBUG:
        return []
    return [Error("DEBUG is on.", hint="Leave DEBUG off: error pages would show gold answers.", id="hopscribe.E004")]


@register("storage")
def var_is_writable(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """E005: uploads and the SQLite database need a writable folder."""
    probe = settings.VAR / ".writable"
    try:
        probe.touch()
        probe.unlink()
    except OSError as broken:
        hint = "Give the web server's user write access, or set HOPSCRIBE_VAR to a writable folder."
        return [Error(f"{settings.VAR} cannot be written: {broken.strerror}.", hint=hint, id="hopscribe.E005")]
    return []


@register("storage")
def storage_lasts(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """W003: the folder with the data is part of a container, and lost with it."""
    if not settings.EPHEMERAL:
        return []
    hint = "Mount storage that lasts and name it in HOPSCRIBE_VAR; until then, export what you need."
    text = f"{settings.VAR} is deleted when the server restarts, with everything in it."
    return [Warning(text, hint=hint, id="hopscribe.W003")]
