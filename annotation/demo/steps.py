"""The steps by which the demo gets its work; each may run again, and completes what an interrupted one left."""

from annotation.demo import (
    compose_batch,
    project_setup,
    qualification_round,
    rating_batch,
    requester_decisions,
    timeline,
)
from annotation.demo.simulated_worker import SimulatedWorker
from annotation.flow.batches.batch_launch import close
from annotation.flow.data.item_writer import OnProgress
from annotation.models import Batch, Project, QualificationRound


class Steps:
    """The methods in `names` are to run in that order, with a function that shows progress.

    `workers` must be signed in before.
    """

    names = {
        "qualified": "Simulated workers take a qualification round",
        "answered": "Simulated workers answer",
        "composed": "Simulated workers compose questions",
        "rated": "Simulated workers rate questions that a model might have written",
        "dated": "Their work is spread over the last three days",
        "decided": "A requester approves, pays, reviews and grants the qualification",
        "reported": "Reports are computed",
    }

    def __init__(
        self, project: Project, held: QualificationRound, studies: list[Batch], graphs: Batch, written: Batch
    ) -> None:
        self.project, self.held, self.graphs, self.written = project, held, graphs, written
        self.study, self.second = studies
        self.workers: list[SimulatedWorker] = []

    def qualified(self, progress: OnProgress) -> None:
        qualification_round.take_round(self.workers, self.held.batch, progress)

    def answered(self, progress: OnProgress) -> None:
        project_setup.answer(self._simulated, self.study, progress)
        project_setup.answer(self._simulated, self.second, progress, left=project_setup.LEFT_OPEN)

    def composed(self, progress: OnProgress) -> None:
        compose_batch.compose_most(self._simulated, self.graphs, progress)

    def rated(self, progress: OnProgress) -> None:
        rating_batch.rate(self._simulated, self.written, progress)

    def dated(self, _progress: OnProgress) -> None:
        names = [worker.username for worker in self.workers]
        timeline.spread(self.project, [self.held.batch, self.study, self.second, self.graphs, self.written], names)

    def decided(self, _progress: OnProgress) -> None:
        qualification_round.grant(self.held)
        requester_decisions.approve_and_pay(self.study)
        compose_batch.review_some(self.graphs)
        requester_decisions.correspond(self.study)
        close(self.study)
        close(self.written)

    def reported(self, _progress: OnProgress) -> None:
        requester_decisions.report([self.study, self.second, self.graphs, self.written])

    @property
    def _simulated(self) -> list[SimulatedWorker]:
        return [worker for worker in self.workers if worker.username in project_setup.SIMULATED]
