"""Rows that exist: one noun a file."""

from annotation.models import case_lookups  # registers them
from annotation.models.account import SignInTry, User, UserSession
from annotation.models.api import AccessKey, ApiRequest, ApiToken
from annotation.models.approval import Approval
from annotation.models.assignment import Assignment, Participation, ProblemReport, ResponseImport, WorkerResponse
from annotation.models.audit import AuditEntry
from annotation.models.batch import Batch, BatchFigure, BatchReport, Hit, Instructions, PartReport
from annotation.models.comment import Comment
from annotation.models.dataset import Dataset, GroupPart, Item
from annotation.models.erasure import Erasure
from annotation.models.experiment import ArmDraw, Experiment
from annotation.models.factor import BackupCode, SecondFactor
from annotation.models.gold import GoldDecision
from annotation.models.job import Job
from annotation.models.message import Message
from annotation.models.money import Account, Entry, Payment, Payout, PayoutLine
from annotation.models.notice import BatchActivity, Notice
from annotation.models.prediction import Prediction, PredictionSet
from annotation.models.prefetched_hit import PrefetchedHit
from annotation.models.preregistration import Preregistration
from annotation.models.project import Invite, Member, Project, Worker
from annotation.models.qualification import (
    Attempt,
    Qualification,
    QualificationChange,
    QualificationRequest,
    QualificationRound,
    QualificationType,
    WorkerBlock,
)
from annotation.models.reserved_hit import ReservedHit
from annotation.models.review import Adjudication, Feedback, Review, ReviewSample, SampledAssignment
