"""What a guide takes for granted, and what goes on between its blocks: `python -m tests.guides.given FOLDER STEP …`.

Runs in the installation's environment. A step is the path of a guide, whose GIVEN is made ready, or one of STEPS. The
last line that a guide's step prints is JSON: what stands for words of its examples.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable
from random import Random

MOST = 40  # assignments of a worker in a batch: enough for reports, and soon done

OWNER = 'create_account you@lab.example --password "a long enough phrase"'

# Commands, as they follow `manage.py`, and steps before the first block of a guide.
GIVEN: dict[str, list[str]] = {}


def people_answer() -> bool:
    """Let invented workers answer what is open, rightly mostly; whether there was anything to answer."""
    from annotation.flow import assigning, joining, submitting
    from annotation.models import Batch, Seat, User, Worker
    from annotation.registry import task_type

    answered = False
    for batch in Batch.objects.filter(state=Batch.State.OPEN, hit_type=None).select_related("project"):
        for number in range(1, batch.assignments_per_hit + 1):
            user, _new = User.objects.get_or_create(username=f"worker-{number}")
            consented = {"consented_version": batch.project.consent_version}
            worker, _new = Worker.objects.get_or_create(project=batch.project, user=user, defaults=consented)
            seat = assigning.sit_down(worker, batch)
            joining.read_guide(seat, version=batch.guide.version)
            rng = Random(f"{batch.slug}/{number}")
            for _assignment in range(MOST):
                row = assigning.claim(Seat.objects.select_related("batch").get(pk=seat.pk))
                if row is None:
                    break
                task, gold = task_type(batch.task), row.hit.item.example
                right = rng.random() < 0.9
                answer = task.imitate(row.hit.payload, gold, rng, right=right)
                submitting.submit(row, answer, key="0.form", base=0, active_seconds=rng.uniform(20, 90))
                answered = True
    return answered


STEPS: dict[str, Callable[[], object]] = {"people answer": people_answer}


def on_and_on(step: Callable[[], object]) -> None:
    """Take the step again and again until somebody ends this process, or the one that began it is gone."""
    parent = os.getppid()
    while os.getppid() == parent:
        step()
        time.sleep(0.2)


def make_ready(guide: str) -> dict[str, str]:
    """What stands for words of the guide's examples, once all that it takes for granted is there."""
    from django.core.management import call_command

    for line in GIVEN[guide]:
        if line in STEPS:
            STEPS[line]()
        else:
            call_command(*shlex.split(line))
    return {}


def main(arguments: list[str]) -> None:
    import django

    django.setup()
    os.chdir(arguments.pop(0))
    going_on = "--on-and-on" in arguments
    name = " ".join(argument for argument in arguments if argument != "--on-and-on")
    if name in GIVEN:
        print(json.dumps(make_ready(name)))
    elif going_on:
        on_and_on(STEPS[name])
    else:
        STEPS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
