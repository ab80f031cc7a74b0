"""Marketplaces that a project publishes on, what is published there, and the workers who come from there."""

from annotation.marketplaces.models.connections import BatchMarketplace, Connection, connection_of, token
from annotation.marketplaces.models.publications import Arrival, Publication
from annotation.marketplaces.models.studies import PanelStudy, Visit, VisitAssignment

__all__ = [
    "Arrival",
    "BatchMarketplace",
    "Connection",
    "PanelStudy",
    "Publication",
    "Visit",
    "VisitAssignment",
    "connection_of",
    "token",
]
