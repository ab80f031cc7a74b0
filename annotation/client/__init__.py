"""The Python client: import datasets, launch and watch batches, export responses. Needs httpx, but no Django."""

from annotation.client.batches import Batch, Progress
from annotation.client.datasets import Dataset
from annotation.client.hopscribe import Hopscribe
from annotation.client.jobs import Job, JobFailed
from annotation.client.problems import HopscribeError, NotReached, Problem
from annotation.client.rows import Rows
from annotation.client.webhooks import Webhook

__all__ = [
    "Batch",
    "Dataset",
    "Hopscribe",
    "HopscribeError",
    "Job",
    "JobFailed",
    "NotReached",
    "Problem",
    "Progress",
    "Rows",
    "Webhook",
]
