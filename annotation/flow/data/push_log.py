"""What the project's log says of pushes to the Hugging Face Hub: each split's, with or without its gold."""

from annotation.flow.projects import audit_log
from annotation.models import AuditEntry, Dataset

ACT = "pushed"


def record(split: Dataset, *, to: str, revision: str, gold: bool) -> None:
    """Record that the split was pushed to a repository in this commit, with or without its gold."""
    audit_log.record(ACT, split, to=to, revision=revision, gold=gold)


def gold_stayed_back(split: Dataset) -> bool:
    """Whether the split's last push was without its gold."""
    pushes = AuditEntry.objects.filter(project=split.project_id, act=ACT, kind="dataset", key=split.slug)
    last = pushes.order_by("-pk").first()
    return last is not None and last.details.get("gold") is False
