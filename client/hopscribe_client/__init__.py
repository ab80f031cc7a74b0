"""The Python client: import datasets, launch and watch batches, export responses. Needs httpx, but no Django."""

from hopscribe_client.batches import Batch, Progress
from hopscribe_client.connection import HopscribeError, NotReached, Problem
from hopscribe_client.datasets import Dataset
from hopscribe_client.hopscribe import Hopscribe
from hopscribe_client.jobs import Job, JobFailed
from hopscribe_client.rows import Rows
from hopscribe_client.studies import Study, StudyRun
from hopscribe_client.webhooks import Webhook

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
    "Study",
    "StudyRun",
    "Webhook",
]
