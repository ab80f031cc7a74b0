"""Values of settings from any door, read by Django's fields: one conversion, one set of limits, one wording."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, validate_slug
from django.db import models
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _

from annotation.flow.errors import Refused
from annotation.pure.setting_fields import REQUIRED, Flaw, InvalidValues, Setting, read
from annotation.pure.text.languages import by_language, worded

COLUMNS: dict[type, Any] = {
    bool: models.BooleanField,
    int: models.IntegerField,
    float: models.FloatField,
    Decimal: models.DecimalField,
    date: models.DateField,
    datetime: models.DateTimeField,
    str: models.CharField,
}
NAMES_OF_PAGES = {"new"}  # names that would be confused with a URL, as of projects/new/
Problems = dict[str, list[str]]


class InvalidSettings(Refused):
    """Settings that cannot be stored: `problems` has the texts by field, "" for those of several fields together."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        texts = (f"{name}: {text}" if name else text for name, several in problems.items() for text in several)
        super().__init__("; ".join(texts))


def sentence(flaw: Flaw) -> str:
    """What is wrong with a value, with the place if it is an object."""
    one = flaw.message
    text = ngettext(*one, flaw.values["limit_value"]) if isinstance(one, tuple) else gettext(one)
    return f"{flaw.place}: {text % flaw.values}" if flaw.place else text % flaw.values


def help_text(one: Setting) -> str:
    """The help of a setting, with its values."""
    text = gettext(one.help) if one.help else ""
    return text % one.values if one.values else text


def read_options(kind: type, given: Mapping[str, Any], *, within: str = "options") -> Any:
    """The options of a task or derivation, or settings that are checked like these, from any door.

    Raises InvalidSettings, with the problems by their place `within` a request.
    """
    try:
        return read(kind, given)
    except InvalidValues as invalid:
        named = {f"{within}.{name}".strip("."): flaws for name, flaws in invalid.problems.items()}
        raise InvalidSettings({name: [sentence(flaw) for flaw in flaws] for name, flaws in named.items()}) from None


def read_values(asked: Iterable[Setting], data: Mapping[str, Any]) -> tuple[dict[str, Any], Problems]:
    """The value of each setting, by default where `data` has none, and what is wrong with the others."""
    values: dict[str, Any] = {}
    problems: Problems = {}
    for one in asked:
        given = data.get(one.name)
        if given is None or given == "":
            if given == "" and one.required:
                problems[one.name] = [gettext(REQUIRED)]
            values[one.name] = None if one.optional and one.name in data else one.default
            continue
        try:
            if one.type in (int, float, Decimal) and not isfinite(float(given)):
                raise ValueError  # no limit catches what is not a number
            values[one.name] = _column(one).clean(given, None)
        except (TypeError, ValueError):
            problems[one.name] = [str(_("Enter a number."))]
        except ValidationError as invalid:
            problems[one.name] = list(invalid.messages)
    return values, problems


def validate_unreserved(name: str) -> None:
    """Raise ValidationError for a name that would be confused with a URL."""
    if name in NAMES_OF_PAGES:
        raise ValidationError(_("This name is reserved. Choose another name."))


def fill_name(values: dict[str, Any], problems: Problems, *, longest: int | None) -> None:
    """Make a name of the title, or a title of the name; a name that fits no URL is a problem."""
    name = values["name"] = values.get("name") or slugify(worded(values.get("title") or ""))[:longest].strip("-")
    if "title" in values and not values["title"]:
        values["title"] = name
    if "name" in problems or ("title" in problems and not name):
        return
    try:
        validate_slug(name)
        validate_unreserved(name)
    except ValidationError as invalid:
        text = invalid.message if name else _("Give a name made of Latin letters, digits and hyphens.")
        problems["name"] = [str(text)]


def validators_of(one: Setting) -> list[Callable[[Any], None]]:
    """The setting's own check of a text as Django's fields take it."""

    def check(value: Any) -> None:
        if flaws := [sentence(flaw) for flaw in one.check(value)] if one.check else []:
            raise ValidationError(flaws)

    return [check] if one.check else []


def known_languages(text: str) -> Iterator[Flaw]:
    """The marks of a text's parts, such as “[de]”, that name no language of the pages."""
    known = dict(settings.LANGUAGES)
    for language in by_language(text):
        if language and language not in known:
            message = gettext_noop("There is no language “%(given)s” here. There are: %(known)s.")
            yield Flaw(message, {"given": language, "known": ", ".join(known)})


def validate_languages(text: str) -> None:
    """Raise ValidationError for marks that name no language of the pages."""
    if flaws := [sentence(flaw) for flaw in known_languages(text)]:
        raise ValidationError(flaws)


def _column(one: Setting) -> Any:
    """A field that reads the setting's value."""
    limits = [(MinValueValidator, one.least), (MaxValueValidator, one.most)]
    given: dict[str, Any] = {"validators": validators_of(one)}
    given["validators"] += [check(limit) for check, limit in limits if limit is not None]
    if one.type is Decimal:
        given |= {"max_digits": 12, "decimal_places": 2}
    if one.type is str:
        given |= {"max_length": one.length, "choices": list(one.choices.items()) if one.choices else None}
    return COLUMNS[one.type](blank=True, **given)
