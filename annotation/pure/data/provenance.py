"""The provenance of an example: the steps that batches stored in its `extra`.

A step is {"batch", "task", "hit", "workers", "instructions_versions", "submitted", "reviews", "aggregate"} and what the
task type adds; `workers`, `submitted` and the indices of an aggregate go together. Only the lossless format writes
steps into records; other formats have them in an accompanying file.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.derivations.bridges import tidy

KEY = "provenance"  # in `extra`
BACK_DECOMPOSITION = "back_decomposition"  # in `extra`: how people who did not know the hops answered the question
SOURCES_OWN = "field_of_the_source"  # the step that keeps a field that the source named like ours

_MARKS = ("batch", "task", "hit")
# What derivations and tasks keep in `extra` on the way to a composed question. Of any other example a field of such a
# name is its source's own.
_WORKING = frozenset({"compositions", "entity", "known_bridges", "source", "source_id", "tail_question"})


def steps_of(extra: Mapping[str, Any]) -> list[JSON]:
    """The steps, oldest first; [] if `extra` has no provenance of ours."""
    return [step for step in _own_steps(extra) if SOURCES_OWN not in step]


def appended(extra: Mapping[str, Any], *steps: JSON) -> JSON:
    """`extra` with steps appended; a source's own field of that name is kept inside the steps."""
    before = _own_steps(extra) or ([{SOURCES_OWN: extra[KEY]}] if KEY in extra else [])
    return {**extra, KEY: [*before, *steps]} if steps else dict(extra)


def without(extra: Mapping[str, Any]) -> JSON:
    """The source's own `extra`: without our steps and, if people composed the question, our working fields."""
    steps = _own_steps(extra)
    if not steps:
        return dict(extra)
    dropped = {KEY, *(_WORKING if any(map(_composes, steps)) else ())}
    rest = {key: value for key, value in extra.items() if key not in dropped}
    return rest | ({KEY: steps[0][SOURCES_OWN]} if SOURCES_OWN in steps[0] else {})


def joined(several: Iterable[Sequence[JSON]]) -> list[JSON]:
    """The steps of several records that become one, each once, in order."""
    merged: list[JSON] = []
    for steps in several:
        merged += [step for step in steps if step not in merged]
    return merged


def flattened(steps: Sequence[JSON], question: str) -> JSON:
    """{"composer", "reviewer", "edits", "bridge_votes"} of a question; {} if nobody composed it.

    Values that the steps do not record are None.
    """
    composing = [step for step in steps if _composes(step)]
    if not composing:
        return {}
    step = composing[-1]
    composer = _composer(step, question)
    reviews = [review for review in step["reviews"] if composer is not None and review["worker"] == composer]
    return {
        "composer": composer,
        "reviewer": reviews[-1]["reviewer"] if reviews else None,
        "edits": [
            {"reviewer": review["reviewer"], "from": review["edited_from"]}
            for review in reviews
            if review.get("edited_from") is not None
        ],
        "bridge_votes": _aggregate(step)["bridges"],
    }


def _aggregate(step: JSON) -> Any:
    return step.get("aggregate", step.get("verdict"))  # datasets made before 0.1.0 have it under its former name


def _composes(step: JSON) -> bool:
    aggregate = _aggregate(step)
    return isinstance(aggregate, dict) and {"by", "bridges"} <= set(aggregate)


def _composer(step: JSON, question: str) -> str | None:
    """The worker who wrote the question, or the chosen one of several compositions; None if unknown."""
    aggregate, workers = _aggregate(step), step["workers"]
    by = aggregate["by"]
    if by is None:
        pairs = zip(aggregate.get("compositions", ()), aggregate.get("candidates", ()), strict=False)
        by = next((place for text, place in pairs if tidy(text) == tidy(question)), None)
    return workers[by] if type(by) is int and 0 <= by < len(workers) else None


def _own_steps(extra: Mapping[str, Any]) -> list[JSON]:
    """The steps in `extra`, or [] if the field of that name is not ours."""
    steps = extra.get(KEY)
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        return []
    return steps if SOURCES_OWN in steps[0] or all(mark in steps[0] for mark in _MARKS) else []
