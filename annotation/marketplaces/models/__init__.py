"""Marketplaces that a project publishes on, what is published there, and the workers who come from there."""

from annotation.marketplaces.models.connections import (
    Arrival,
    BatchMarketplace,
    Connection,
    ParticipantGroup,
    Publication,
    connection_of,
    token,
)
from annotation.marketplaces.models.studies import (
    BonusShare,
    Demographic,
    Difference,
    EventSubscription,
    PanelStudy,
    ReceivedEvent,
    Visit,
    VisitAssignment,
    VisitBonus,
)
