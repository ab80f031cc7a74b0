"""The shortest history that still fails: each trial is a child process that begins where the whole history did."""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from tests.simulation.run import Result, Stage
from tests.simulation.scheduler import Scheduler
from tests.simulation.turns import Turn

LAST = 10  # steps after which a trial looks at all


def in_child(scheduler: Scheduler, act: Callable[[], Result]) -> Result:
    """What the act gives in a child process, with a copy of the database of its own."""
    connection.close()
    reading, writing = os.pipe()
    if not (pid := os.fork()):
        os.close(reading)
        _answer(writing, scheduler, act)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    if not data:
        raise RuntimeError("the child that played a history died")
    result: Result = pickle.loads(data)
    return result


def _answer(pipe: int, scheduler: Scheduler, act: Callable[[], Result]) -> None:
    """Write the result, and end without what a whole process does at its end."""
    try:
        with scheduler.own_database():
            data = pickle.dumps(act())
        with os.fdopen(pipe, "wb") as file:
            file.write(data)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


@dataclass
class Shrinking:
    """Makes the turns of a failed history fewer, as long as it fails in the same way."""

    stage: Stage
    settings: dict[str, Any]
    failed: Result
    to_the_end: bool  # whether it fails only there
    most: int  # trials: by time, a slower machine would find a longer history

    def __post_init__(self) -> None:
        self.kind, self.trials = kind_of(self.failed), 0

    def shortest(self) -> Result:
        self._try(self.failed.turns, closely=self.settings["every"])  # where in its window it fails
        for actor in sorted({turn.actor for turn in self.failed.turns}):
            if self._may_try():
                self._try([turn for turn in self.failed.turns if turn.actor != actor])
        if self._may_try():
            self._try([_without_fault(turn) for turn in self.failed.turns])
        parts = 2
        while parts <= len(self.failed.turns) and self._may_try():
            size = -(-len(self.failed.turns) // parts)
            starts = range(0, len(self.failed.turns), size)
            if not any(self._leave_out(start, size) for start in starts):
                parts *= 2
        return self.failed

    def _leave_out(self, start: int, size: int) -> bool:
        turns = self.failed.turns
        return self._may_try() and self._try([*turns[:start], *turns[start + size :]])

    def _may_try(self) -> bool:
        return self.trials < self.most

    def _try(self, turns: Sequence[Turn], *, closely: int = LAST) -> bool:
        self.trials += 1
        more = {"closely": closely, "to_the_end": self.to_the_end, **self.settings}
        played = in_child(self.stage.scheduler, lambda: self.stage.play(0, turns=turns, **more))
        if kind_of(played) != self.kind:
            return False
        self.failed = played
        return True


def _without_fault(turn: Turn) -> Turn:
    return Turn(turn.actor, turn.seconds, turn.seed)


def kind_of(result: Result) -> str:
    """The plain words of what is wrong: numbers and ids differ from history to history."""
    last = result.wrong[0].strip().rpartition("\n")[2] if result.wrong else ""
    return " ".join(word for word in last.split() if word.isalpha() and word.islower())
