"""Qualification rounds: creating one over a batch, its rule, and the chances of passing it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.parsing import Reading
from annotation.flow.batches.settings import BatchSettings
from annotation.flow.errors import Refused
from annotation.flow.people import bulk_grants, qualification_types, round_attempts
from annotation.flow.setting_values import InvalidSettings, Problems, read_values
from annotation.models import Batch, Project, QualificationRound, QualificationType, User
from annotation.pure.people import round_rules
from annotation.pure.people.round_rules import Chance, Clause
from annotation.pure.setting_fields import REQUIRED, setting, settings_of
from annotation.pure.text.translation_marks import gettext_noop
from annotation.registry import kinds, task_type
from annotation.tasktype import Measure, capabilities

MONTH = 30 * 24 * 3600
JUDGED = "judged"
GOOD = Measure(gettext_noop("Good on all criteria"), gettext_noop("Good in every respect"))
# for figures with partial credit (MuSiQue, section 6.1), and for right-or-wrong figures
DEFAULT_MARK = {True: 0.75, False: 0.8}


def figures_for(task: str, grading: str) -> dict[str, Measure]:
    """The figures that a rule may use for a task graded this way, best first, by key."""
    if grading == QualificationRound.Grading.GOLD:
        return dict(capabilities.measures(task_type(task)))
    return {JUDGED: GOOD} | {key: Measure(text, text) for key, text in capabilities.criteria(task_type(task)).items()}


def partial(task: str, grading: str) -> dict[str, bool]:
    """For each figure, whether an item can earn partial credit."""
    return {key: measure.partial for key, measure in figures_for(task, grading).items()}


def proposed_grading(task: str) -> str:
    """The proposed grading: by the requester for tasks whose responses are reviewed, else by gold."""
    grading = QualificationRound.Grading
    return grading.REQUESTER if capabilities.criteria(task_type(task)) else grading.GOLD


def proposed_rule(task: str, grading: str, datasets: int) -> list[Clause]:
    """The proposed rule: MuSiQue's if the task has its figures, else 80 percent in the first figure."""
    figures = figures_for(task, grading)
    graded = [key for key, measure in figures.items() if measure.partial and measure.is_default]
    where = round_rules.EACH if datasets > 1 else ""
    if graded:
        return [Clause(key, DEFAULT_MARK[True], ">", where) for key in graded]
    return [Clause(next(iter(figures)), DEFAULT_MARK[False])]


def read_rule(stored: Any, *, task: str, grading: str, datasets: Sequence[str]) -> tuple[Clause, ...]:
    """Parse a rule. Raises Refused, naming figures and datasets that do not exist."""
    try:
        rule = round_rules.read_rule(stored)
    except ValueError as wrong:
        raise Refused(str(wrong)) from None
    figures = figures_for(task, grading)
    for clause in rule:
        if clause.figure not in figures:
            text = _("The rule names “%(name)s”, which is not measured here. Available measures: %(known)s.")
            raise Refused(text % {"name": clause.figure, "known": ", ".join(figures)})
        if clause.dataset not in ("", round_rules.EACH, *datasets):
            raise Refused(_("The rule names “%(name)s”, which is not one of the datasets.") % {"name": clause.dataset})
    return rule


@dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """What a qualification round sets beside its batch."""

    per_worker: int = setting(
        None,
        label=gettext_noop("Items for each worker"),
        help=gettext_noop("Drawn separately for each worker, in equal parts from the datasets."),
        least=1,
        most=1000,
        required=True,
    )
    grading: str = setting(None, label=gettext_noop("Graded by"), choices=dict(QualificationRound.Grading.choices))
    rule: Any = setting(None, label=gettext_noop("Conditions to pass; all must hold"), option="clause")
    attempts: int = setting(
        1,
        label=gettext_noop("Attempts"),
        help=gettext_noop("Each attempt uses items that the worker has not seen."),
        least=1,
        most=10,
        required=True,
    )
    seconds: int | None = setting(
        None,
        label=gettext_noop("Seconds from the first item on"),
        help=gettext_noop("Leave empty for no limit."),
        least=60,
        most=MONTH,
    )
    closes_at: datetime | None = setting(
        None,
        label=gettext_noop("When the round closes"),
        help=gettext_noop("Leave empty to run it until you close it."),
        option="ends",
    )
    grants: QualificationType | str = setting(
        None,
        label=gettext_noop("Qualification to grant"),
        help=gettext_noop(
            "Choose a qualification of the project or name a new one. Its score is the worker's score in percent."
        ),
        length=200,
        required=True,
    )


ROUND_SETTINGS = settings_of(RoundSettings)
SETTLED = {
    "assignments_per_hit": 1,
    "purpose": Batch.Purpose.QUALIFICATION,
    "unseen_only": False,
    "sample_by": "uniform",
}


def parse_round(
    project: Project, data: Mapping[str, Any], *, batch: Batch | None = None, launching: bool = False
) -> tuple[BatchSettings, RoundSettings]:
    """Settings of a round, new or the draft `batch`, from any door. Raises InvalidSettings.

    Without a rule and a way of grading it gets the task's; a draft gets them anew if its task or grading changes.
    """
    reading = Reading(project, {**data, **SETTLED}, batch=batch, launching=launching)
    values, problems = read_terms(reading, data, batch=batch)
    if reading.problems or problems:
        raise InvalidSettings(reading.problems | problems)
    return BatchSettings(**reading.values), RoundSettings(**values)


def read_terms(
    reading: Reading, data: Mapping[str, Any], *, batch: Batch | None = None
) -> tuple[dict[str, Any], Problems]:
    """The round's own settings, with what is wrong by name; `reading` has those of its batch."""
    task, stored = reading.values["task"], round_attempts.round_of(batch) if batch else None
    kept: dict[str, Any] = {name: getattr(stored, name) for name in ROUND_SETTINGS} if stored else {}
    if batch and (batch.task != task or data.get("grading", kept.get("grading")) != kept.get("grading")):
        kept["rule"] = None
        kept["grading"] = None if batch.task != task else kept.get("grading")
    given = {**kept, **data}
    values, problems = read_values(
        [ROUND_SETTINGS[name] for name in ("per_worker", "grading", "attempts", "seconds")], given
    )
    values |= {"closes_at": given.get("closes_at"), "rule": given.get("rule"), "grants": given.get("grants")}
    for name in ("per_worker", "grants"):
        if not values.get(name) and name not in problems:
            problems[name] = [_(REQUIRED)]
    if task not in dict(kinds()):
        return values, problems
    values["grading"] = values.get("grading") or proposed_grading(task)
    slugs = sorted(dataset.slug for dataset in reading.values["datasets"])
    if values["rule"] is None:
        values["rule"] = [clause.as_json() for clause in proposed_rule(task, values["grading"], len(slugs))]
    try:
        read_rule(values["rule"], task=task, grading=values["grading"], datasets=slugs)
    except Refused as refusal:
        problems["rule"] = [str(refusal)]
    return values, problems


@transaction.atomic
def store_round(
    project: Project,
    settings: BatchSettings,
    terms: RoundSettings,
    *,
    batch: Batch | None = None,
    user: User | None = None,
) -> QualificationRound:
    """Create a round as a draft, or change the draft `batch` of one. Raises Refused.

    A name in `grants` stands for the project's qualification, which is created if there is none.
    """
    if batch is not None and batch.state != Batch.State.DRAFT:
        raise Refused(_("This qualification round is launched, so its settings cannot be changed."))
    if settings.marketplace is not None:
        raise Refused(
            _(
                "Qualification rounds work only with workers of this installation: a marketplace gives everybody "
                "the same items."
            )
        )
    if batch is None:
        batch = batch_drafts.create_batch(project, settings, user=user)
    else:
        batch_drafts.change_batch(batch, settings, user=user)
    if terms.per_worker < len(settings.datasets):
        raise Refused(_("Use at least one item of each dataset: %(n)s.") % {"n": len(settings.datasets)})
    round_attempts.check(round_attempts.pool_of(batch), per_worker=terms.per_worker, tries=terms.attempts)
    grants = grant_type(project, terms.grants) if isinstance(terms.grants, str) else terms.grants
    made, _new = QualificationRound.objects.update_or_create(batch=batch, defaults=vars(terms) | {"grants": grants})
    made.batch = batch
    return made


def grant_type(project: Project, name: str) -> QualificationType:
    """The project's qualification of that name or id, created if it does not exist. Raises Refused."""
    found = qualification_types.types_of(project).filter(Q(name=name.strip()) | Q(public_id=name)).first()
    words = _("Scores from a qualification round, in percent.")
    return found or qualification_types.create_type(project, name, description=words)


def rule_of(round: QualificationRound) -> tuple[Clause, ...]:
    """The stored rule."""
    return round_rules.read_rule(round.rule)


def chances(round: QualificationRound) -> list[Chance]:
    """Chances of workers of skill 0.6 to 0.95 to pass within their attempts."""
    shares = round_rules.shares(round.per_worker, round_attempts.datasets_of(round))
    return chances_of(rule_of(round), shares, task=round.batch.task, grading=round.grading, tries=round.attempts)


def chances_of(
    rule: Sequence[Clause], shares: Mapping[str, int], *, task: str, grading: str, tries: int
) -> list[Chance]:
    """The chances for settings that are not stored yet."""
    return round_rules.chance_table(rule, shares, partial=partial(task, grading), attempts=tries)


def clause_in_words(clause: Clause, measure: Measure) -> str:
    """A clause as text: "Answer F1 above 75 on each dataset"."""
    above = _("%(figure)s above %(value)s") if clause.comparator == ">" else _("%(figure)s of %(value)s or more")
    text = above % {"figure": _(measure.label), "value": f"{100 * clause.value:g}"}
    if clause.dataset == round_rules.EACH:
        return _("%(clause)s on each dataset") % {"clause": text}
    return _("%(clause)s on %(dataset)s") % {"clause": text, "dataset": clause.dataset} if clause.dataset else text


def rule_in_words(round: QualificationRound) -> list[str]:
    """The rule's clauses as text."""
    figures = figures_for(round.batch.task, round.grading)
    return [clause_in_words(clause, figures[clause.figure]) for clause in rule_of(round)]


def undoable(round: QualificationRound) -> int:
    """The key of the last step of grants if it came from a round and can be undone, else 0."""
    step = bulk_grants.last_step(round.grants)
    return step[-1].pk if step and step[-1].source == "round" else 0
