"""Where workers are stuck who joined a project and have not submitted anything yet."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from django.utils.translation import gettext_lazy

from annotation.flow.batches import practice_progress
from annotation.models import Batch, Participation, Worker

CONSENT, INSTRUCTIONS, PRACTICE, FIRST_RESPONSE = "consent", "instructions", "practice", "response"
NAMES = {
    CONSENT: gettext_lazy("consent"),
    INSTRUCTIONS: gettext_lazy("instructions"),
    PRACTICE: gettext_lazy("practice"),
    FIRST_RESPONSE: gettext_lazy("first response"),
}


def stages(workers: Iterable[Worker], submitted: Mapping[int, int]) -> dict[int, str]:
    """The stage of each active worker without a response, by key; `submitted`: responses by key.

    Somebody who began several batches is where they got furthest.
    """
    waiting = [w for w in workers if w.active and w.user_id is not None and not submitted.get(w.pk)]
    begun: defaultdict[int, list[Participation]] = defaultdict(list)
    rows = Participation.objects.filter(worker__in=[worker.pk for worker in waiting])
    for participation in rows.select_related("batch"):
        begun[participation.worker_id].append(participation)

    @cache
    def exercises(batch: Batch) -> int:
        return len(practice_progress.exercises(batch))

    def stage(worker: Worker) -> str:
        read = [one for one in begun[worker.pk] if one.instructions_version]
        if not worker.consented:
            return CONSENT
        if not read:
            return INSTRUCTIONS
        return FIRST_RESPONSE if any(one.practised >= exercises(one.batch) for one in read) else PRACTICE

    return {worker.pk: stage(worker) for worker in waiting}
