"""Qualification rounds: creating one over a batch, its rule, and the chances of passing it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.people import bulk_grants, qualification_types, round_attempts, round_pools
from annotation.models import Batch, Dataset, Project, QualificationRound, QualificationType
from annotation.pure.people import round_rules
from annotation.pure.people.round_rules import Chance, Clause
from annotation.registry import task_type
from annotation.tasktype import Measure, capabilities

JUDGED = "judged"
GOOD = Measure(gettext_noop("Good on all criteria"))
# for figures with partial credit (MuSiQue, section 6.1), and for right-or-wrong figures
DEFAULT_MARK = {True: 0.75, False: 0.8}


def figures_for(task: str, grading: str) -> dict[str, Measure]:
    """The figures that a rule may use for a task graded this way, best first, by key."""
    if grading == QualificationRound.Grading.GOLD:
        return dict(capabilities.measures(task_type(task)))
    return {JUDGED: GOOD} | {key: Measure(text) for key, text in capabilities.criteria(task_type(task)).items()}


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


def create_round(
    project: Project,
    name: str,
    *,
    task: str,
    datasets: Sequence[Dataset],
    per_worker: int,
    grants: QualificationType | str,
    rule: Any = None,
    grading: str = "",
    tries: int = 1,
    seconds: int | None = None,
    closes_at: datetime | None = None,
    instructions: str = "",
    **settings: Any,
) -> QualificationRound:
    """Create a round as a draft; `settings` as for a batch. Raises Refused.

    `grants`: a qualification, or a name, of which one is made if none is.
    """
    with transaction.atomic():
        settings |= {"task": task, "datasets": datasets, "instructions": instructions}
        settings |= {"assignments_per_hit": 1, "purpose": Batch.Purpose.QUALIFICATION}
        batch = batch_launch.create_batch(project, name, **settings)
        return set_up(
            batch,
            per_worker=per_worker,
            grants=grant_type(project, grants) if isinstance(grants, str) else grants,
            rule=rule,
            grading=grading or proposed_grading(task),
            tries=tries,
            seconds=seconds,
            closes_at=closes_at,
        )


@transaction.atomic
def set_up(
    batch: Batch,
    *,
    per_worker: int,
    grants: QualificationType,
    rule: Any,
    grading: str,
    tries: int = 1,
    seconds: int | None = None,
    closes_at: datetime | None = None,
) -> QualificationRound:
    """Turn a draft into a round, or change the draft of a round. Raises Refused."""
    if batch.state != Batch.State.DRAFT:
        raise Refused(_("This qualification round is launched, so its settings cannot be changed."))
    if batch.on_marketplace:
        raise Refused(
            _(
                "Qualification rounds work only with workers of this installation: a marketplace gives everybody "
                "the same items."
            )
        )
    if per_worker < 1 or tries < 1:
        raise Refused(_("A qualification round needs at least one item and at least one attempt."))
    held = sorted(batch.datasets.all(), key=lambda dataset: dataset.slug)
    slugs = [dataset.slug for dataset in held]
    if rule is None:
        rule = [clause.as_json() for clause in proposed_rule(batch.task, grading, len(slugs))]
    clauses = read_rule(rule, task=batch.task, grading=grading, datasets=slugs)
    if per_worker < len(slugs):
        raise Refused(_("Use at least one item of each dataset: %(n)s.") % {"n": len(slugs)})
    round_pools.check(round_pools.pool_of(batch), per_worker=per_worker, tries=tries)
    terms = {"per_worker": per_worker, "attempts": tries, "grading": grading, "seconds": seconds}
    terms |= {"rule": [clause.as_json() for clause in clauses], "closes_at": closes_at, "grants": grants}
    made, _new = QualificationRound.objects.update_or_create(batch=batch, defaults=terms)
    made.batch = batch
    return made


def grant_type(project: Project, name: str) -> QualificationType:
    """The project's qualification of that name, created if it does not exist. Raises Refused."""
    found = qualification_types.types_of(project).filter(name=name.strip()).first()
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
