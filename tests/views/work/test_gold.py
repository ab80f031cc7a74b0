"""Gold never reaches an annotator: every gold value is a canary, and every answer of the site is searched for them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from scipy.stats import chisquare

from annotation.flow.batches import batch_launch, practice_progress
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.people import members
from annotation.flow.review import review_decisions, worker_feedback
from annotation.models import Assignment, Batch, Hit
from annotation.pure.data.example import Example
from annotation.registry import task_type
from tests.batches import create_batch
from tests.conftest import PASSWORD, records
from tests.long_forms import first
from tests.views.crawler import MARK, Canaries, Crawler, knock_everywhere

pytestmark = pytest.mark.django_db

ROUTES = """
    work history batch-start batch-instructions practice practice-done practice-live batch-done feedback assignment
    submit draft return skip take-up extend report-problem back live
    home sign-in sign-out password-reset preferences set-language join
    consent
"""


def musique(mark: Canaries, size: int) -> list[dict[str, Any]]:
    """Two-hop records whose gold stands nowhere in their contexts; each has an unanswerable twin."""
    found = []
    for number, plain in enumerate(records(size)):
        numbers = [mark.number() for _ in plain["paragraphs"]]
        answerable = {
            "id": mark.text("id"),
            "question": plain["question"],
            "paragraphs": [
                {"idx": idx, "title": p["title"], "paragraph_text": p["text"], "is_supporting": k < 2}
                for k, (idx, p) in enumerate(zip(numbers, plain["paragraphs"], strict=True))
            ],
            "question_decomposition": [
                {
                    "id": mark.number(),
                    "question": mark.text("hop"),
                    "answer": mark.text("hopanswer"),
                    "paragraph_support_idx": idx,
                }
                for idx in numbers[:2]
            ],
            "answer": mark.text("answer"),
            "answer_aliases": [mark.text("alias"), mark.text("alias")],
            "answerable": True,
            "source_note": mark.text("extra"),
        }
        found.append(answerable)
        if number % 2:
            found.append(answerable | {"answerable": False})
    return found


def hotpotqa(mark: Canaries, size: int) -> list[dict[str, Any]]:
    """Records with sentences; the kind of question, its level and its answer are canaries."""
    return [
        {
            "_id": mark.text("id"),
            "question": plain["question"],
            "context": [[p["title"], re.split(r"(?<=\.)(?= )", p["text"])] for p in plain["paragraphs"]],
            "supporting_facts": [[plain["paragraphs"][0]["title"], 0], [mark.text("title"), 3]],
            "answer": mark.text("answer"),
            "type": mark.text("type"),
            "level": mark.text("level"),
        }
        for plain in records(size)
    ]


KINDS: dict[str, Any] = {"musique": (musique, {}), "hotpotqa": (hotpotqa, {"sentences": True})}


@pytest.fixture
def mark() -> Canaries:
    return Canaries()


@pytest.fixture(params=first(1, KINDS))
def open_batch(request: Any, project: Any, mark: Canaries, tmp_path: Path) -> Batch:
    make, options = KINDS[request.param]
    file = tmp_path / mark.text("file")
    file.write_text(json.dumps(make(mark, 6)))
    result = {"licence": mark.text("licence"), "source": mark.text("source")}
    import_dataset(project, file, format=request.param, name=mark.text("dataset"), **result)
    batch = create_batch(
        project,
        mark.text("batch"),
        task="answer",
        datasets=list(project.datasets.all()),
        instructions="Read, then answer.",
        title="Wells",
        options=options | {"own_words": "allow"},
        assignments_per_hit=1,
    )
    batch_launch.launch(batch)
    return batch


def typed(assignment: Assignment, key: str, **more: Any) -> dict[str, Any]:
    """What the answer page posts without scripts: a word of the first paragraph, everything ticked."""
    word = assignment.hit.payload["paragraphs"][0]["text"].split()[0]
    ticks = {"support": ["0", "1"], "fact": ["0.0", "1.0"]}
    return {"kind": "text", "text": word, "key": key, "active_seconds": "5"} | ticks | more


def current(batch: Batch) -> Assignment:
    return Assignment.objects.select_related("hit").get(batch=batch, state="accepted")


def come_in(site: Crawler, batch: Batch) -> None:
    slug = batch.project.slug
    invited = members.invite(batch.project, role="worker", by=None)
    site.get("join", invited.token)
    site.post("join", invited.token)
    site.get("home")
    site.get("consent", slug)
    site.post("consent", slug, version="1")
    site.send("preferences", '{"off": false, "keys": {}}')
    site.send("preferences", "{")
    site.post("set-language", language="en")
    site.get("work")
    site.post("batch-start", batch.pk)
    site.get("batch-instructions", batch.pk)
    site.post("batch-instructions", batch.pk, version="1")


def exercise(mark: Canaries) -> Example:
    """An item of practice whose gold is canaries too."""
    record = records(1)[0] | {
        "id": mark.text("id"),
        "answers": [mark.text("answer")],
        "extra": {"note": mark.text("extra")},
    }
    hops = [hop | {"question": mark.text("hop"), "answer": mark.text("hopanswer")} for hop in record["hops"]]
    paragraphs = [{"title": p["title"], "sentences": [p["text"]]} for p in record["paragraphs"]]
    return Example.from_json(record | {"hops": hops, "paragraphs": paragraphs})


def practise(site: Crawler, batch: Batch) -> None:
    site.get("practice", batch.pk, 1)
    site.get("practice-live", batch.pk, 1, "search", q="well")
    site.get("practice-live", batch.pk, 1, "gold")
    site.post("practice", batch.pk, 1, kind="")
    site.post("practice", batch.pk, 1, kind="text", text="Tower", support=["0"], fact=["0.0"])
    _name, status, feedback = site.sent.pop()  # which tells the right answer, once there is one
    assert status == 200
    assert 'id="remarks"' in feedback
    site.post("practice-done", batch.pk, 1)
    site.get("batch-instructions", batch.pk)


def work_on(site: Crawler, batch: Batch) -> None:
    """Draft, search, refused and accepted submissions of one assignment."""
    row = current(batch)
    own = row.public_id
    site.get("assignment", own)
    for query in ("", "well", "tower 3", "#", "is_supporting", "answer", "😀", "x" * 5000):
        site.get("live", own, "search", q=query)
    site.get("live", own, "gold")
    site.post("draft", own, **typed(row, "0.a", version="0"))
    site.post("draft", own, **typed(row, "0.a", version="0", text="stale"))
    site.get("assignment", own)
    site.post("extend", own)
    for wrong in (
        {"kind": ""},
        {"text": "stands nowhere"},
        {"support": [], "fact": []},
        {"kind": "span", "start": "1"},
    ):
        site.post("submit", own, **typed(row, "0.b", **wrong))
    site.post("submit", own, **typed(row, "0.c"))
    site.post("submit", own, **typed(row, "0.c"))
    site.post("submit", own, **typed(row, "0.d", text="Well"))
    site.get("assignment", own)
    site.get("back", own)
    site.post("draft", own, **typed(row, "0.a", version="1"))


def leave(site: Crawler, batch: Batch) -> None:
    """Every way out of an assignment, and back."""
    row = current(batch)
    site.post("skip", row.public_id)
    site.get("assignment", row.public_id)
    site.post("return", current(batch).public_id)
    site.get("work")
    site.post("take-up", row.public_id)
    site.post("report-problem", row.public_id, reason="nonsense")
    site.post("report-problem", row.public_id, reason="unclear", text="Which one?")


def finish(site: Crawler, batch: Batch) -> None:
    """To the end of the batch, and what stays to be seen when it is closed."""
    while site.post("batch-start", batch.pk)["Location"].startswith("/assignments/"):
        row = current(batch)
        site.post("submit", row.public_id, **typed(row, "0.z"))
    site.get("batch-done", batch.pk)
    batch_launch.change_instructions(batch, "Read it twice.")
    site.get("batch-instructions", batch.pk)
    batch_launch.close(batch)
    for row in Assignment.objects.filter(batch=batch):
        site.get("assignment", row.public_id)
        site.post("submit", row.public_id, **typed(row, f"{row.revision}.late"))
        site.post("draft", row.public_id, **typed(row, f"{row.revision}.late", version=row.draft_version))
    site.get("history")
    site.get("batch-done", batch.pk)
    site.post("batch-start", batch.pk)


def be_told(site: Crawler, batch: Batch) -> None:
    """Feedback about an answer, and an answer returned for repair, in a batch that is closed by now."""
    row = Assignment.objects.filter(batch=batch, state="submitted").first()
    assert row is not None
    result = worker_feedback.feedback(row.worker, batch, text="Fewer words.", author=None, assignment=row)
    wish = review_decisions.Decision("returned", {}, reason="Repair it.")
    review_decisions.decide(row, row.revision, wish, reviewer=None)
    site.get("work")
    site.get("feedback", result.pk)
    site.post("feedback", result.pk)
    site.get("feedback", result.pk)
    site.get("assignment", row.public_id)
    site.post("submit", row.public_id, **typed(row, f"{row.revision}.repair"))
    site.get("work")


def test_no_answer_of_the_site_tells_a_worker_any_gold(
    open_batch: Batch, mark: Canaries, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = (exercise(mark),)
    monkeypatch.setattr(practice_progress, "practice", lambda *_: held)
    site = Crawler(bob.user)
    come_in(site, open_batch)
    practise(site, open_batch)
    work_on(site, open_batch)
    leave(site, open_batch)
    finish(site, open_batch)
    be_told(site, open_batch)
    knock_everywhere(site, open_batch)
    site.post("sign-out")
    site.get("sign-in")
    site.post("sign-in", username="bob", password=PASSWORD)
    site.get("password-reset", "MQ", "x")
    assert set(ROUTES.split()) <= site.visited, "a route was not looked at"
    assert site.statuses("submit") >= {303, 409, 422}
    assert site.statuses("draft") >= {200, 409, 410}
    assert site.statuses("live") >= {200, 404}
    assert site.statuses("practice") >= {200, 422}
    assert not [sent for sent in site.sent if sent[1] >= 500]
    assert len(mark.made) > 30
    assert site.betrayals(mark.made) == []


def test_the_crawler_would_notice(open_batch: Batch, mark: Canaries, alice: Any) -> None:
    site = Crawler(alice)
    site.get("item", open_batch.project.slug, open_batch.datasets.get().slug, 0)
    assert {canary for _name, _status, canary in site.betrayals(mark.made)} >= {MARK}
    assert len(site.betrayals(mark.made)) > 3


def test_public_ids_tell_nothing(open_batch: Batch, bob: Any) -> None:
    site = Crawler(bob.user)
    come_in(site, open_batch)
    ids = [*Hit.objects.values_list("public_id", flat=True), current(open_batch).public_id]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[\w-]{22}|3[A-Z0-9]{29}", public_id) for public_id in ids)
    page = site.get("assignment", current(open_batch).public_id).content.decode()
    for hit in Hit.objects.select_related("item"):
        assert hit.public_id not in page
        assert hit.item.source_id not in page


def test_the_order_of_paragraphs_does_not_depend_on_the_support() -> None:
    task, size, supports = task_type("answer"), 20, [0, 1, 2, 3]
    payload = {"paragraphs": [{"title": str(k), "text": str(k)} for k in range(size)], "options": [], "controls": {}}
    shown: Counter[int] = Counter()
    pairs: Counter[bool] = Counter()
    for seed in range(10_000):
        order = task.arrange(payload, Random(seed))["order"]
        shown[order.index(supports[seed % 4])] += 1
        pairs[order.index(0) < order.index(1)] += 1
    assert chisquare([shown[place] for place in range(size)]).pvalue > 0.01
    assert chisquare(list(pairs.values())).pvalue > 0.01


def test_every_assignment_has_an_order_of_its_own(open_batch: Batch, bob: Any, carol: Any) -> None:
    open_batch.hits.update(wanted=2)
    seeds = []
    for worker in (bob, carol):
        site = Crawler(worker.user)
        come_in(site, open_batch)
        seeds.append(current(open_batch).seed)
        site.post("return", current(open_batch).public_id)
    assert len(set(seeds)) == 2
    assert all(seed.bit_length() > 20 for seed in seeds)
