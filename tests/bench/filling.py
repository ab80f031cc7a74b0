"""Whether a study's plan asks for enough people: each works up to the limits, and all HITs are completed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from annotation.pure.batches.arm_draw import latin_square
from annotation.pure.batches.queue_order import BLOCK
from annotation.pure.studies.definition import Definition
from annotation.pure.studies.plan import Plan

Groups = list[int]  # of each HIT of a batch, its question


@dataclass
class Arm:
    """A batch: the question of each HIT, the assignments that each still needs, and the limit per worker."""

    groups: Groups
    left: list[int]
    most: int

    def claim(self, met: set[int], rng: Random) -> bool:
        """Take a HIT as the product does: any of the first block that has one of a question not met."""
        for start in range(0, len(self.groups), BLOCK):
            block = range(start, min(start + BLOCK, len(self.groups)))
            free = [k for k in block if self.left[k] and self.groups[k] not in met]
            if free:
                hit = rng.choice(free)
                self.left[hit] -= 1
                met.add(self.groups[hit])
                return True
        return False


def arms_of(study: Definition, plan: Plan, questions: int) -> list[Arm]:
    """The batches of a plan whose questions have as many HITs each as the study says, one after the other."""
    found = []
    for row, planned in zip(study.batches, plan.batches, strict=True):
        groups = [question for question in range(questions) for _instance in range(row.instances)]
        assert planned.hits == len(groups)
        assert planned.most
        found.append(Arm(groups, [row.assignments or 0] * len(groups), planned.most))
    return found


def unfilled(arms: Sequence[Arm], workers: int, *, seed: int, at_once: bool) -> int:
    """Assignments that stay open after so many workers, who do the batches in orders drawn evenly.

    `at_once`: they take turns at random; otherwise each comes when the one before has done all that they may.
    """
    rng = Random(seed)
    orders = latin_square(len(arms))
    rng.shuffle(orders)
    people = [_Worker(set(), [arms[arm] for arm in orders[k % len(orders)]], 0) for k in range(workers)]
    busy = list(people)
    while busy:
        worker = rng.choice(busy) if at_once else busy[0]
        if not worker.work(rng):
            busy.remove(worker)
    return sum(sum(arm.left) for arm in arms)


@dataclass(eq=False)
class _Worker:
    met: set[int]
    to_do: list[Arm]
    done: int  # of the first of them

    def work(self, rng: Random) -> bool:
        """Do a HIT of the first batch that has one for them; whether there was one."""
        while self.to_do:
            arm = self.to_do[0]
            if self.done < arm.most and arm.claim(self.met, rng):
                self.done += 1
                return True
            del self.to_do[0]
            self.done = 0
        return False
