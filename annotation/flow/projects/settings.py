"""The settings of a project, each said once: type, limits, words, default. `parsing` checks them."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy

from annotation.flow.setting_values import known_languages
from annotation.models import Project
from annotation.pure.money.pricing import NO_FEES, SCHEDULES
from annotation.pure.setting_fields import setting, settings_of
from annotation.pure.text.translation_marks import gettext_noop as _


@dataclass(frozen=True, kw_only=True)
class ProjectSettings:
    """All settings of a project, checked."""

    title: str = setting(
        "",
        label=_("Title"),
        help=_("Shown to workers above their batches."),
        length=200,
        required=True,
        check=known_languages,
    )
    name: str = setting(
        "",
        label=_("Name"),
        help=_("Used in URLs, commands and exports; cannot be changed. Leave empty to use the title."),
        length=50,
    )
    consent: str = setting(
        "",
        label=_("Consent text"),
        help=_("Markdown. Workers accept it before their first assignment and again after each change."),
        length=50_000,
        check=known_languages,
        multiline=True,
    )
    sign_up: str = setting(
        Project.SignUp.INVITE,
        label=_("Who may join as a worker"),
        help=_("People without an invite join on the project's open page. Its address is shown under People."),
        choices=dict(Project.SignUp.choices),
    )
    two_factor: bool = setting(
        False,
        label=_("Members must use two-factor authentication"),
        help=_("Everybody who runs or reviews the project must set up an authenticator first. Workers need none."),
    )
    ask_models: bool = setting(
        True,
        label=_("Items may be sent to models"),
        help=_("Otherwise nobody can ask a model from here. Predictions can still be imported."),
    )
    wage_floor: Decimal | None = setting(
        None,
        label=_("Wage floor per hour, in dollars"),
        help=_(
            "You are warned before launching below this, and you can raise the pay of a batch to it. Leave "
            "empty for no floor."
        ),
        least=Decimal(0),
        most=Decimal("99999.99"),
    )
    fees: str = setting(
        NO_FEES,
        label=_("Fees of this installation"),
        help=_("Taken from the budget on all pay here, for teaching or for quotes; marketplaces have their own."),
        choices={schedule: gettext_lazy(label) for schedule, label in SCHEDULES},
    )

    def columns(self) -> dict[str, Any]:
        """The columns of the project's row."""
        return {"slug" if name == "name" else name: value for name, value in vars(self).items()}


SETTINGS = settings_of(ProjectSettings)


def stored(project: Project) -> ProjectSettings:
    """The settings of a project."""
    return ProjectSettings(**{name: getattr(project, "slug" if name == "name" else name) for name in SETTINGS})
