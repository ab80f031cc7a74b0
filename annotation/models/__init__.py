"""Rows that exist, with those that belong to them in one file."""

from annotation.models.account import (
    AccessKey,
    ApiRequest,
    ApiToken,
    BackupCode,
    SecondFactor,
    SignInTry,
    User,
    UserSession,
)
from annotation.models.assignment import (
    Assignment,
    Participation,
    PrefetchedHit,
    ProblemReport,
    ReservedHit,
    ResponseImport,
    WorkerResponse,
)
from annotation.models.batch import Batch, BatchFigure, BatchReport, Hit, Instructions, PartReport, Preregistration
from annotation.models.dataset import Dataset, GroupPart, Item, Prediction, PredictionSet
from annotation.models.experiment import ArmDraw, Experiment
from annotation.models.job import Job
from annotation.models.money import Account, Entry, Payment, Payout, PayoutLine
from annotation.models.notice import BatchActivity, Message, Notice
from annotation.models.prediction import BatchModel, ModelPrediction
from annotation.models.project import AuditEntry, Erasure, Invite, Member, Project, Worker
from annotation.models.qualification import (
    Attempt,
    Qualification,
    QualificationChange,
    QualificationRequest,
    QualificationRound,
    QualificationType,
    WorkerBlock,
)
from annotation.models.review import (
    Adjudication,
    Approval,
    Comment,
    Feedback,
    GoldDecision,
    Review,
    ReviewSample,
    SampledAssignment,
)
