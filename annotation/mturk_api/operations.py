"""Every operation of the API: importing a module registers its operations."""

from annotation.mturk_api import assignments, hits, qualification_types, qualifications, workers
from annotation.mturk_api.calls import OPERATIONS

MODULES = (assignments, hits, qualification_types, qualifications, workers)
__all__ = ["MODULES", "OPERATIONS"]
