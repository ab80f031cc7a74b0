"""Qualification rounds: setting one up over a batch, and how likely its rule lets somebody through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow import attempts, batching, granting, pools, qualifying
from annotation.flow.refusal import Refused
from annotation.models import Batch, Dataset, Project, QualificationType, Round
from annotation.pure import rounds
from annotation.pure.rounds import Chance, Clause
from annotation.registry import task_type
from annotation.tasktype import Measure

JUDGED = "judged"
GOOD = Measure(gettext_noop("Judged good in every point"))
DEFAULT_MARK = {True: 0.75, False: 0.8}  # of what can be partly right (MuSiQue, section 6.1), and of what cannot


def figures_for(task: str, judgment: str) -> dict[str, Measure]:
    """What a rule may name for a task judged so, best first, by its key."""
    if judgment == Round.Judgment.GOLD:
        return dict(task_type(task).measures)
    return {JUDGED: GOOD} | {key: Measure(text) for key, text in task_type(task).criteria.items()}


def partial(task: str, judgment: str) -> dict[str, bool]:
    """Of each figure, whether an item can earn part of the credit."""
    return {key: measure.partial for key, measure in figures_for(task, judgment).items()}


def proposed_judgment(task: str) -> str:
    """Answers that people read are judged by the requester, others against gold."""
    return Round.Judgment.REQUESTER if task_type(task).criteria else Round.Judgment.GOLD


def proposed_rule(task: str, judgment: str, datasets: int) -> list[Clause]:
    """The rule to begin from: MuSiQue's, where the task has its figures; else 80 percent of the first figure."""
    figures = figures_for(task, judgment)
    graded = [key for key, measure in figures.items() if measure.partial]
    where = rounds.EACH if datasets > 1 else ""
    if graded:
        return [Clause(key, DEFAULT_MARK[True], ">", where) for key in graded]
    return [Clause(next(iter(figures)), DEFAULT_MARK[False])]


def read_rule(stored: Any, *, task: str, judgment: str, datasets: Sequence[str]) -> tuple[Clause, ...]:
    """A rule that can be applied. Raises Refused, naming what the task and the datasets do not have."""
    try:
        rule = rounds.read_rule(stored)
    except ValueError as wrong:
        raise Refused(str(wrong)) from None
    figures = figures_for(task, judgment)
    for clause in rule:
        if clause.figure not in figures:
            known = ", ".join(figures)
            text = _("The rule names “%(name)s”, which is not measured here. It may name: %(known)s.")
            raise Refused(text % {"name": clause.figure, "known": known})
        if clause.dataset not in ("", rounds.EACH, *datasets):
            raise Refused(_("The rule names “%(name)s”, which is none of the datasets.") % {"name": clause.dataset})
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
    judgment: str = "",
    tries: int = 1,
    seconds: int | None = None,
    closes_at: datetime | None = None,
    guide: str,
    **settings: Any,
) -> Round:
    """Write a round down as a draft; `settings` as for a batch. Raises Refused for what cannot be.

    `grants`: a qualification, or a name, of which one is made if none is.
    """
    with transaction.atomic():
        batch = batching.create_batch(
            project,
            name,
            task=task,
            datasets=datasets,
            guide=guide,
            **settings,
            assignments_per_hit=1,
            purpose=Batch.Purpose.QUALIFICATION,
        )
        return set_up(
            batch,
            per_worker=per_worker,
            grants=grant_type(project, grants) if isinstance(grants, str) else grants,
            rule=rule,
            judgment=judgment or proposed_judgment(task),
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
    judgment: str,
    tries: int = 1,
    seconds: int | None = None,
    closes_at: datetime | None = None,
) -> Round:
    """Make a draft a round, or change the round that it is. Raises Refused."""
    if batch.state != Batch.State.DRAFT:
        raise Refused(_("This round was launched, so its settings stay as they are."))
    if batch.connection_id:
        raise Refused(_("A round needs workers of this installation: a marketplace gives everybody the same items."))
    if per_worker < 1 or tries < 1:
        raise Refused(_("A round asks at least one item, and gives at least one attempt."))
    held = sorted(batch.datasets.all(), key=lambda dataset: dataset.slug)
    slugs = [dataset.slug for dataset in held]
    if rule is None:
        rule = [clause.as_json() for clause in proposed_rule(batch.task, judgment, len(slugs))]
    clauses = read_rule(rule, task=batch.task, judgment=judgment, datasets=slugs)
    _check_pool(batch, slugs, per_worker, tries)
    made, _new = Round.objects.update_or_create(
        batch=batch,
        defaults={
            "per_worker": per_worker,
            "attempts": tries,
            "judgment": judgment,
            "rule": [clause.as_json() for clause in clauses],
            "seconds": seconds,
            "closes_at": closes_at,
            "grants": grants,
        },
    )
    made.batch = batch
    return made


def _check_pool(batch: Batch, slugs: Sequence[str], per_worker: int, tries: int) -> None:
    if per_worker < len(slugs):
        raise Refused(_("Ask at least one item of each dataset: %(n)s.") % {"n": len(slugs)})
    pools.check(pools.pool_of(batch), per_worker=per_worker, tries=tries)


def grant_type(project: Project, name: str) -> QualificationType:
    """The project's qualification of that name, made where there is none. Raises Refused."""
    found = qualifying.types_of(project).filter(name=name.strip()).first()
    words = _("Scores of a qualification round, in percent.")
    return found or qualifying.create_type(project, name, description=words)


def rule_of(round: Round) -> tuple[Clause, ...]:
    """The stored rule."""
    return rounds.read_rule(round.rule)


def chances(round: Round) -> list[Chance]:
    """How likely workers of skill .6 to .95 pass in the attempts that they have."""
    shares = rounds.shares(round.per_worker, attempts.datasets_of(round))
    return chances_of(rule_of(round), shares, task=round.batch.task, judgment=round.judgment, tries=round.attempts)


def chances_of(
    rule: Sequence[Clause], shares: Mapping[str, int], *, task: str, judgment: str, tries: int
) -> list[Chance]:
    """The same for settings that are not stored yet."""
    return rounds.chance_table(rule, shares, partial=partial(task, judgment), attempts=tries)


def clause_in_words(clause: Clause, measure: Measure) -> str:
    """ "Answer F1 above 75 on each dataset"."""
    above = _("%(figure)s above %(value)s") if clause.comparator == ">" else _("%(figure)s of %(value)s or more")
    text = above % {"figure": _(measure.label), "value": f"{100 * clause.value:g}"}
    if clause.dataset == rounds.EACH:
        return _("%(clause)s on each dataset") % {"clause": text}
    return _("%(clause)s on %(dataset)s") % {"clause": text, "dataset": clause.dataset} if clause.dataset else text


def rule_in_words(round: Round) -> list[str]:
    """The clauses as sentences."""
    figures = figures_for(round.batch.task, round.judgment)
    return [clause_in_words(clause, figures[clause.figure]) for clause in rule_of(round)]


def undoable(round: Round) -> int:
    """The key of the last step of grants, where it came from a round and can be undone; 0 where there is none."""
    step = granting.last_step(round.grants)
    return step[-1].pk if step and step[-1].source == "round" else 0
