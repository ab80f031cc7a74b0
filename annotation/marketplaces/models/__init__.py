"""Marketplaces that a project publishes on, what is published there, and the workers who come from there."""

from annotation.marketplaces.models.bonuses import BonusShare, VisitBonus
from annotation.marketplaces.models.connections import BatchMarketplace, Connection, connection_of, token
from annotation.marketplaces.models.demographics import Demographic
from annotation.marketplaces.models.differences import Difference, EventSubscription, ReceivedEvent
from annotation.marketplaces.models.groups import ParticipantGroup
from annotation.marketplaces.models.publications import Arrival, Publication
from annotation.marketplaces.models.studies import PanelStudy, Visit, VisitAssignment

__all__ = [
    "Arrival",
    "BatchMarketplace",
    "BonusShare",
    "Connection",
    "Demographic",
    "Difference",
    "EventSubscription",
    "PanelStudy",
    "ParticipantGroup",
    "Publication",
    "ReceivedEvent",
    "Visit",
    "VisitAssignment",
    "VisitBonus",
    "connection_of",
    "token",
]
