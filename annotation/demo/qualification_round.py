"""The demo's qualification round: single-hop questions about Vennory, graded by gold, and the workers who take it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from annotation.demo import encyclopedia, timeline
from annotation.demo.project_setup import kept
from annotation.demo.simulated_worker import SimulatedWorker, is_assignment
from annotation.flow.batches.batch_launch import launch
from annotation.flow.people import qualification_rounds, round_results
from annotation.models import Attempt, Batch, Project, QualificationRound, User
from annotation.pure.batches import lifecycle
from annotation.pure.data.example import Example

DATASET = BATCH = "vennory-qualification"
GRANTS = "Reads Vennory well"
QUESTIONS, CONTEXT = 24, 4  # questions of the pool, paragraphs of each
PER_WORKER = 6
RULE = [{"figure": "answer_em", "comparator": ">=", "value": 0.6, "dataset": ""}]


def examples() -> list[Example]:
    """Single-hop questions from all over the encyclopedia, each among paragraphs that do not answer it."""
    known = list(encyclopedia.singlehop().values())
    made = []
    for question in known[:: len(known) // QUESTIONS][:QUESTIONS]:
        rng = Random(f"demo/{question.id}")
        article = encyclopedia.paragraphs()[question.key]
        others = [other for other in encyclopedia.paragraphs().values() if other.title != article.title]
        context = [article, *rng.sample(others, CONTEXT - 1)]
        rng.shuffle(context)
        answered = Example(
            id=f"singlehop-{question.id}",
            question=question.question,
            paragraphs=tuple(other.paragraph for other in context),
            answers=question.answers,
            supports=(context.index(article),),
        )
        made.append(replace(answered, group=answered.id))
    return made


def launched(project: Project, folder: Path) -> QualificationRound:
    """The launched round, created on the first run."""
    stored = QualificationRound.objects.filter(batch__project=project, batch__slug=BATCH).first()
    if stored is None:
        asked: dict[str, Any] = {"name": BATCH, "title": "Qualification: reading about Vennory", "task": "answer"}
        asked |= {"datasets": [kept(project, DATASET, examples(), folder)]}
        asked |= {"per_worker": PER_WORKER, "grants": GRANTS, "rule": RULE}
        settings = qualification_rounds.parse_round(project, asked)
        stored = qualification_rounds.store_round(project, *settings, user=User.objects.get(username="requester"))
    if stored.batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        launch(stored.batch)
    return stored


def take_round(workers: list[SimulatedWorker], batch: Batch, progress: Callable[[int, int], None]) -> None:
    """Let the simulated workers take the round to its end."""
    by_question = {example.question: example for example in examples()}
    done = batch.assignments.filter(state=lifecycle.SUBMITTED).count()
    total = PER_WORKER * len(workers)
    for worker in workers:
        if Attempt.objects.filter(round__batch=batch, worker__user__username=worker.username).exclude(finished_at=None):
            continue
        page = worker.begin(batch)
        while is_assignment(page):
            page = worker.answer(page, by_question, began=timeline.set_back)
            done += 1
            progress(done, total)


def grant(held: QualificationRound) -> None:
    """Grant the round's qualification to those who passed by its rule."""
    requester = User.objects.get(username="requester")
    wanted = round_results.grants(held, None)
    round_results.grant(held, wanted, reason="", user=requester)
