"""Celery, for installations with a broker: it wakes workers and runs the schedule; jobs are rows of the outbox."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.settings")

RUN_DUE = "annotation.run_due"  # the one task, in scheduled_work.py
app = Celery("hopscribe")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    broker_connection_retry_on_startup=True,
    worker_hijack_root_logger=False,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    beat_schedule={"run-due": {"task": RUN_DUE, "schedule": 30.0}},
    imports=("annotation.scheduled_work",),
)


def broker_trouble(seconds: float = 5) -> str:
    """Why the broker does not answer within so many seconds; "" if it does."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=seconds)
    except Exception as broken:  # each transport raises exceptions of its own
        return str(broken) or type(broken).__name__
    return ""
