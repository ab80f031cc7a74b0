"""Arms of an experiment on a marketplace that sends participants: one study, that of the first arm, for all of them."""

from annotation.flow.work.arm_draws import arms_of, current_arm
from annotation.models import Batch, Worker


def together(batch: Batch) -> list[Batch]:
    """All arms of the batch's experiment, or the batch alone."""
    return [batch] if batch.experiment is None else arms_of(batch.experiment)


def lead_of(batch: Batch) -> Batch:
    """The batch that has the study: the first arm, or the batch itself."""
    return together(batch)[0]


def is_launched(batch: Batch) -> bool:
    """Whether all arms are launched."""
    return all(arm.launched_at is not None for arm in together(batch))


def is_open(batch: Batch) -> bool:
    """Whether an arm is open."""
    return any(arm.state == Batch.State.OPEN for arm in together(batch))


def batch_for(worker: Worker, batch: Batch) -> Batch:
    """The arm that is open to the worker; the batch itself where it is no arm, or before they drew."""
    return (current_arm(worker, batch.experiment) if batch.experiment else None) or batch
