"""A random history of claims, submissions, returns, expiries, top-ups and voids, against a plain model of them.

Invariants I1 to I5 and I7 of docs/architecture.md hold after every step, and a claim finds a HIT exactly when
there is one that the worker may have.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from annotation.flow.batches import add_assignments, batch_launch, batch_progress
from annotation.flow.errors import Conflict
from annotation.flow.projects import overview
from annotation.flow.review import problem_reports
from annotation.flow.work import leases, next_assignment, open_work, prefetch, submissions
from annotation.models import (
    Assignment,
    Dataset,
    Hit,
    Item,
    Participation,
    PrefetchedHit,
    Project,
    Worker,
    WorkerResponse,
)
from annotation.tasktype import SecondOpinion
from tests.batches import create_batch
from tests.capable import grant

pytestmark = pytest.mark.postgresql(reason="a HIT is claimed in one statement under locks")

WORKERS, ITEMS = 3, 4
GROUPS = ["twins", "alone", "twins", "other"]
who = st.integers(0, WORKERS - 1)
any_of = st.integers(0, 10_000)
LEAST = {"Ay": 0, "bee": 3}  # answers that a HIT needs once this was one of them
texts = st.sampled_from(list(LEAST))


@dataclass(frozen=True)
class Sent:
    """A submission that was acknowledged."""

    assignment: int
    key: str
    base: int
    answer: dict[str, Any]
    receipt: submissions.Receipt


class Allocation(RuleBasedStateMachine):
    """Three workers on four HITs, two of them twins; every verb in any order."""

    @initialize(meeting=st.sampled_from(["one", "apart", "free"]), wanted=st.sampled_from([1, 2]))
    def open_a_batch(self, meeting: str, wanted: int) -> None:
        self.point = transaction.atomic()
        self.point.__enter__()
        # The order in which a worker meets HITs hangs on both keys: a failure is to happen again when it is repeated.
        project = Project.objects.create(slug="machine", title="Machine", pseudonym_key="of the machine")
        dataset = Dataset.objects.create(project=project, slug="items", state="ready", format="jsonl", sha256="")
        for place, group in enumerate(GROUPS):
            paragraph = {"title": "A", "text": "Ay or bee"}
            content = {"id": str(place), "question": "Which?", "paragraphs": [paragraph]}
            row = {"position": place, "source_id": str(place), "group_key": group, "question": "Which?"}
            Item.objects.create(dataset=dataset, content=content, **row)
        self.batch = create_batch(
            project,
            "b",
            task="answer",
            datasets=[dataset],
            instructions="",
            assignments_per_hit=wanted,
            meeting=meeting,
        )
        batch_launch.launch(self.batch)
        self.workers = [
            Worker.objects.create(pk=10_000 + k, project=project, external_id=str(k), consented_version=1)
            for k in range(WORKERS)
        ]
        self.participations = [next_assignment.join_batch(worker, self.batch) for worker in self.workers]
        self.sent: list[Sent] = []
        self.asked: dict[int, int] = {}  # answers that each HIT asked for so far
        self.count = 0

    def teardown(self) -> None:
        if hasattr(self, "point"):
            transaction.set_rollback(True)
            self.point.__exit__(None, None, None)

    def participation(self, worker: int) -> Participation:
        return Participation.objects.select_related("batch").get(pk=self.participations[worker].pk)

    def participation_of(self, worker: int) -> Participation:
        return Participation.objects.get(batch=self.batch, worker=worker)

    def one(self, number: int, **wanted: Any) -> Assignment | None:
        """One of the assignments that match, if there is any."""
        rows = list(Assignment.objects.select_related("batch").filter(**wanted).order_by("pk"))
        return rows[number % len(rows)] if rows else None

    def may_have(self, participation: Participation) -> set[int]:
        """The HITs that a claim could give, by the rules and nothing else."""
        mine = list(Assignment.objects.filter(worker=participation.worker_id))
        met = {a.group_key for a in mine if a.state in open_work.ALIVE_OR_DONE}
        free = Q(wanted__gt=F("live") + F("done")) | Q(prefetched__isnull=False)  # also by another worker
        hits = Hit.objects.filter(free, batch=self.batch, excluded_at=None).distinct()
        fit = list(hits.exclude(pk__in=[a.hit_id for a in mine]))
        if participation.batch.meeting == "one":
            fit = [hit for hit in fit if hit.group_key not in met]
        if participation.batch.meeting == "apart":
            fit = [
                hit
                for hit in fit
                if hit.group_key not in (participation.last_group, self.answered_last(participation.worker_id))
            ]
        return {hit.pk for hit in fit}

    def answered_last(self, worker: int) -> str:
        """The group of the worker's last answer to a HIT that they had not answered before."""
        firsts = [sent.assignment for sent in self.sent if sent.receipt.revision == 1]
        groups = dict(Assignment.objects.filter(worker=worker).values_list("pk", "group_key"))
        return next((groups[pk] for pk in reversed(firsts) if pk in groups), "")

    @rule(worker=who)
    def claim(self, worker: int) -> None:
        participation = self.participation(worker)
        under_way = Assignment.objects.filter(worker=participation.worker_id, state="accepted").first()
        possible = self.may_have(participation) if participation.batch.state == "open" else set()
        claimed = next_assignment.claim(participation)
        if under_way is not None:
            assert claimed == under_way
        else:
            assert (claimed is not None) == bool(possible)
            assert claimed is None or claimed.hit_id in possible

    @rule(worker=who)
    def hold_the_next(self, worker: int) -> None:
        with transaction.atomic():
            next_assignment.lock(participation := self.participation(worker))
            if not PrefetchedHit.objects.filter(worker=participation.worker_id).exists():
                prefetch.hold_another(participation)

    @rule(number=any_of, text=texts, state=st.sampled_from(["accepted", "expired", "returned"]))
    def submit(self, number: int, text: str, state: str) -> None:
        row = self.one(number, state=state)
        if row is not None:
            asks_again = Hit.objects.filter(pk=row.hit_id, excluded_at=None, wanted__lt=LEAST[text]).exists()
            room = asks_again or Hit.objects.open().filter(pk=row.hit_id).exists()
            sent = self.send(row, text, base=0)
            assert sent.receipt.late == (state != "accepted")
            assert sent.receipt.counts == (state == "accepted" or room)

    def send(self, row: Assignment, text: str, *, base: int) -> Sent:
        self.count += 1
        answer, key = {"kind": "typed", "text": text, "support": []}, f"{base}.{self.count}"
        receipt = submissions.submit(row, answer, key=key, base=base, active_seconds=1.0)
        sent = Sent(row.pk, key, base, answer, receipt)
        self.sent.append(sent)
        return sent

    @rule(number=any_of, text=texts)
    def change(self, number: int, text: str) -> None:
        row = self.one(number, state="submitted")
        if row is not None and row.batch.state == "open":
            assert self.send(row, text, base=row.revision).receipt.revision == row.revision + 1
        elif row is not None:
            with pytest.raises(Conflict):
                self.send(row, text, base=row.revision)

    @precondition(lambda self: self.sent)
    @rule(number=any_of, other=st.booleans())
    def replay(self, number: int, other: bool) -> None:
        sent = self.sent[number % len(self.sent)]
        row = Assignment.objects.get(pk=sent.assignment)
        if other:
            with pytest.raises(Conflict):
                submissions.submit(row, {"kind": "none"}, key=sent.key, base=sent.base, active_seconds=0)
            return
        again = submissions.submit(row, sent.answer, key=sent.key, base=sent.base, active_seconds=9)
        assert (again.assignment, again.revision) == (sent.receipt.assignment, sent.receipt.revision)

    @rule(number=any_of)
    def submit_from_a_second_tab(self, number: int) -> None:
        row = self.one(number, state="submitted")
        if row is not None:
            with pytest.raises(Conflict):
                submissions.submit(row, {"kind": "none"}, key="0.other-tab", base=0, active_seconds=0)

    @rule(number=any_of)
    def return_assignment(self, number: int) -> None:
        row = self.one(number, state="accepted")
        if row is not None:
            assert leases.return_assignment(row)
            assert not leases.return_assignment(row)

    @rule(number=any_of)
    def let_a_lease_run_out(self, number: int) -> None:
        row = self.one(number, state="accepted")
        if row is not None:
            Assignment.objects.filter(pk=row.pk).update(lease_until=Now() - timedelta(seconds=1))
            assert leases.expire_due() == 1
            assert leases.expire_due() == 0

    @rule(number=any_of, state=st.sampled_from(["returned", "expired"]))
    def take_up(self, number: int, state: str) -> None:
        row = self.one(number, state=state)
        if row is not None:
            busy = Assignment.objects.filter(worker=row.worker_id, state="accepted").exists()
            taken = next_assignment.take_up(row)
            assert not (taken and (busy or row.batch.state != "open"))
            in_a_row = row.batch.meeting == "apart" and row.group_key == self.answered_last(row.worker_id)
            assert not (taken and in_a_row)
            assert not taken or self.participation_of(row.worker_id).last_group == row.group_key

    @rule(number=any_of)
    def problem_report(self, number: int) -> None:
        row = self.one(number)
        if row is not None:
            problem_reports.report_problem(row, reason="unclear", text="")

    @rule(number=any_of, back=st.booleans())
    def exclude_or_restore(self, number: int, back: bool) -> None:
        hit = Hit.objects.filter(batch=self.batch).order_by("pk")[number % ITEMS]
        changed = problem_reports.restore(hit) if back else problem_reports.exclude(hit, reason="broken")
        assert changed == ((hit.excluded_at is not None) == back)

    @rule(only_disagreeing=st.booleans())
    def top_up(self, only_disagreeing: bool) -> None:
        self.batch.refresh_from_db()
        if Hit.objects.filter(wanted__gt=4).exists():
            return
        arguments = {"base": self.batch.next_ticket, "only_disagreeing": only_disagreeing}
        add_assignments.add_assignments(self.batch, **arguments)
        assert add_assignments.add_assignments(self.batch, **arguments)["hits"] == 0

    @rule(worker=who, to=st.sampled_from(["paused", "closed"]))
    def stop_and_go_on(self, worker: int, to: str) -> None:
        self.batch.refresh_from_db()
        assert self.batch.move(to)
        self.claim(worker)
        self.change(worker, "bee")
        self.take_up(worker, "returned")
        assert self.batch.move("open")

    @rule(worker=who)
    def work_until_nothing_is_left(self, worker: int) -> None:
        while Assignment.objects.filter(worker=self.workers[worker], state="accepted").exists() or self.claims(worker):
            self.submit_of(worker)

    def claims(self, worker: int) -> bool:
        self.claim(worker)
        return Assignment.objects.filter(worker=self.workers[worker], state="accepted").exists()

    def submit_of(self, worker: int) -> None:
        row = self.one(0, worker=self.workers[worker], state="accepted")
        assert row is not None
        assert self.send(row, "Ay", base=0).receipt.counts

    @rule(worker=who)
    def read_a_new_instructions(self, worker: int) -> None:
        version = batch_launch.change_instructions(self.batch, f"Version {self.count}").version
        next_assignment.read_instructions(self.participation(worker), version=version)

    @invariant()
    def no_hit_has_more_than_it_asked_for_and_its_counters_are_true(self) -> None:  # I1, I4
        for hit in Hit.objects.prefetch_related("assignments"):
            rows = list(hit.assignments.all())
            live = sum(a.state == "accepted" for a in rows) + hit.prefetched.count()
            done = sum(a.state == "submitted" and a.counts for a in rows)
            assert (hit.live, hit.done) == (live, done)
            assert live + done <= hit.wanted
            assert hit.room == hit.wanted - live - done

    @invariant()
    def a_hit_asks_for_what_its_answers_call_for_and_never_for_less_than_before(self) -> None:
        for hit in Hit.objects.prefetch_related("assignments__responses"):
            texts = [a.answer["text"] for row in hit.assignments.all() for a in row.responses.all()]
            least = max((LEAST[text] for text in texts), default=0)
            assert hit.wanted >= max(least, self.asked.get(hit.pk, 0))
            self.asked[hit.pk] = hit.wanted

    @invariant()
    def nobody_has_a_hit_twice_or_two_at_once(self) -> None:  # I2, I3
        rows = Assignment.objects.values_list("worker", "hit", "state")
        assert max(Counter((w, h) for w, h, _ in rows).values(), default=0) <= 1
        assert max(Counter(w for w, _, state in rows if state == "accepted").values(), default=0) <= 1

    @invariant()
    def everything_acknowledged_is_there_unchanged_and_once(self) -> None:  # I5, I7
        stored = {(a.assignment_id, a.key): (a.revision, a.answer) for a in WorkerResponse.objects.all()}
        sent = {(s.assignment, s.key): (s.receipt.revision, s.answer) for s in getattr(self, "sent", [])}
        assert stored == sent

    @invariant()
    def participations_count_what_their_workers_did(self) -> None:
        for participation in Participation.objects.all():
            mine = Assignment.objects.filter(
                worker=participation.worker_id, batch=participation.batch_id, state="submitted"
            )
            assert participation.done == mine.count()
            assert (participation.worked_at is None) == (not participation.done)

    @invariant()
    def what_is_summed_over_participations_is_what_counting_assignments_gives(self) -> None:
        if not hasattr(self, "batch"):
            return
        submitted = Assignment.objects.filter(batch=self.batch, state="submitted")
        assert batch_progress.submitted_by_batch([self.batch.pk]).get(self.batch.pk, 0) == submitted.count()
        at_work = overview.totals(self.batch.project)["at_work"]
        assert at_work == submitted.values("worker").distinct().count()

    @invariant()
    def members_of_a_group_meet_a_worker_as_the_batch_says(self) -> None:
        if not hasattr(self, "batch") or self.batch.meeting != "one":
            return
        rows = Assignment.objects.filter(state="accepted").values_list("worker", "group_key", "hit")
        for worker, group, hit in rows:
            met = Assignment.objects.filter(worker=worker, group_key=group, state__in=open_work.ALIVE_OR_DONE)
            # A late response may come in after the worker was given another member of its group: nothing is refused.
            assert not met.exclude(hit=hit).filter(late=False).exists()


def call_for_second_opinions(monkeypatch: pytest.MonkeyPatch) -> None:
    grant(monkeypatch, "answer", SecondOpinion, least=lambda self, payload, answer: LEAST[answer["text"]])
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)


def run(examples: int, steps: int, *, shrink: bool) -> None:
    run_state_machine_as_test(
        Allocation,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate] + ([Phase.shrink] if shrink else []),
        ),
    )


@pytest.mark.django_db
def test_the_invariants_hold_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    call_for_second_opinions(monkeypatch)
    run(examples=4, steps=30, shrink=False)


@pytest.mark.soak
@pytest.mark.django_db
def test_the_invariants_hold_whatever_happens_at_length(monkeypatch: pytest.MonkeyPatch) -> None:
    call_for_second_opinions(monkeypatch)
    run(examples=300, steps=60, shrink=True)
