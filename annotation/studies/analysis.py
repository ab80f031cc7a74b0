"""What a run's analysis says of all of its batches together, as last computed."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.reports import batch_scores, score_looks
from annotation.models import Batch
from annotation.studies.analyses import analysis_named
from annotation.studies.launch import batches_of
from annotation.studies.models import StudyRun


def arms_of(run: StudyRun) -> dict[str, Batch]:
    """The launched batches that the run's analysis is about, by their names in the study."""
    states = {Batch.State.DRAFT, Batch.State.LAUNCHING}
    found, wanted = batches_of(run), analysis_named(run.definition.analysis).ARMS
    return {arm: found[arm] for arm in wanted if arm in found and found[arm].state not in states}


def problem(run: StudyRun, *, look: bool = False) -> str:
    """Why there is no analysis, or ""; with `look` it need not have all responses."""
    arms = arms_of(run)
    if len(arms) < len(analysis_named(run.definition.analysis).ARMS):
        return _("not launched")
    if not any(score_looks.responses(batch) for batch in arms.values()):
        return _("no responses yet")
    if not look and not all(score_looks.is_complete(batch) for batch in arms.values()):
        return _("not all responses are in")
    return ""


def current(run: StudyRun) -> dict[str, Any] | None:
    """The analysis as last computed, if it covers all responses and predictions of now."""
    return run.analysis if run.analysis and run.analysed == _stand(arms_of(run)) else None


def compute(run: StudyRun) -> dict[str, Any]:
    """Compute and store the analysis; who sees it before all responses are in is logged with each batch."""
    arms, seed = arms_of(run), run.seed
    stand = _stand(arms)
    hits = {arm: batch_scores.hits_with_responses(batch) for arm, batch in arms.items()}
    run.analysis = analysis_named(run.definition.analysis).analyse(hits, seed=seed)
    run.analysed = stand
    StudyRun.objects.filter(pk=run.pk).update(analysis=run.analysis, analysed=stand)
    for batch in arms.values():
        score_looks.record_look(batch)
    return run.analysis


def _stand(arms: dict[str, Batch]) -> str:
    """A digest of what the analysis covers."""
    versions = "\n".join(f"{arm} {batch_scores.version_key(batch)}" for arm, batch in sorted(arms.items()))
    return sha256(versions.encode()).hexdigest()
