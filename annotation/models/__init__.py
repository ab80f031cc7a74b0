"""Rows that exist: one noun a file."""

from annotation.models.account import SignInTry, User
from annotation.models.assignment import Answer, Assignment, Collection, Flag, Seat
from annotation.models.batch import Batch, BatchReport, Guide, Hit
from annotation.models.dataset import Dataset, Item
from annotation.models.gold import GoldDecision
from annotation.models.job import Job
from annotation.models.prediction import Prediction, PredictionSet
from annotation.models.project import Invite, Member, Project, Worker
from annotation.models.review import Draw, Drawn, Feedback, Review

__all__ = [
    "Answer",
    "Assignment",
    "Batch",
    "BatchReport",
    "Collection",
    "Dataset",
    "Draw",
    "Drawn",
    "Feedback",
    "Flag",
    "GoldDecision",
    "Guide",
    "Hit",
    "Invite",
    "Item",
    "Job",
    "Member",
    "Prediction",
    "PredictionSet",
    "Project",
    "Review",
    "Seat",
    "SignInTry",
    "User",
    "Worker",
]
