"""Rows that exist: one noun a file."""

from annotation.models.account import SignInTry, User
from annotation.models.api import ApiRequest, ApiToken
from annotation.models.assignment import Answer, Assignment, Collection, Flag, Seat
from annotation.models.audit import AuditEntry
from annotation.models.batch import Batch, BatchReport, Guide, Hit, PartReport
from annotation.models.connection import Connection
from annotation.models.dataset import Dataset, Item
from annotation.models.erasure import Erasure
from annotation.models.factor import BackupCode, SecondFactor
from annotation.models.given import Given
from annotation.models.gold import GoldDecision
from annotation.models.job import Job
from annotation.models.message import Message
from annotation.models.money import Account, Entry, Payment, Payout, PayoutLine
from annotation.models.notice import BatchNews, Notice
from annotation.models.prediction import Prediction, PredictionSet
from annotation.models.project import Invite, Member, Project, Worker
from annotation.models.publication import Arrival, Publication
from annotation.models.qualification import (
    Attempt,
    Qualification,
    QualificationChange,
    QualificationRequest,
    QualificationType,
    Round,
    WorkerBlock,
)
from annotation.models.review import Draw, Drawn, Feedback, Review
from annotation.models.webhook import Delivery, Webhook, WebhookEvent
from annotation.models.wire import (
    AccessKey,
    Approval,
    Event,
    HitType,
    Listing,
    NotificationSetting,
    PolicyOutcome,
    RequestToken,
)

__all__ = [
    "AccessKey",
    "Account",
    "Answer",
    "ApiRequest",
    "ApiToken",
    "Approval",
    "Arrival",
    "Assignment",
    "Attempt",
    "AuditEntry",
    "BackupCode",
    "Batch",
    "BatchNews",
    "BatchReport",
    "Collection",
    "Connection",
    "Dataset",
    "Delivery",
    "Draw",
    "Drawn",
    "Entry",
    "Erasure",
    "Event",
    "Feedback",
    "Flag",
    "Given",
    "GoldDecision",
    "Guide",
    "Hit",
    "HitType",
    "Invite",
    "Item",
    "Job",
    "Listing",
    "Member",
    "Message",
    "Notice",
    "NotificationSetting",
    "PartReport",
    "Payment",
    "Payout",
    "PayoutLine",
    "PolicyOutcome",
    "Prediction",
    "PredictionSet",
    "Project",
    "Publication",
    "Qualification",
    "QualificationChange",
    "QualificationRequest",
    "QualificationType",
    "RequestToken",
    "Review",
    "Round",
    "Seat",
    "SecondFactor",
    "SignInTry",
    "User",
    "Webhook",
    "WebhookEvent",
    "Worker",
    "WorkerBlock",
]
