"""Imports every module with operations, which registers them."""

from annotation.mturk_api import (  # noqa: F401
    account,
    assignments,
    bonuses,
    hit_types,
    hits,
    notifications,
    policy_results,
    qualification_types,
    qualifications,
    workers,
)
from annotation.mturk_api.registry import OPERATIONS

__all__ = ["OPERATIONS"]
