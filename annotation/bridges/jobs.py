"""The scheduled job that closes HITs with broken bridges."""

from collections.abc import Callable

from annotation.bridges import broken_bridges
from annotation.flow.projects.job_queue import Verb

VERBS: dict[str, Verb] = {}
ERRANDS: list[Callable[[], object]] = [broken_bridges.close_due]
