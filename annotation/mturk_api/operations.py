"""Imports every module with operations, which registers them."""

from annotation.mturk_api.registry import OPERATIONS

__all__ = ["OPERATIONS"]
