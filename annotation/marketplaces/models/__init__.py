"""Marketplaces that a project publishes on, what is published there, and the workers who come from there."""

from annotation.marketplaces.models.connections import (
    BatchMarketplace,
    Connection,
    ParticipantGroup,
    connection_of,
    token,
)
from annotation.marketplaces.models.publications import Arrival, Publication
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
