"""Seeded random batches of the tasks of decisions, through every method that makes or reads what is stored.

`python -m tests.tasks.batch_digests --dump FOLDER` writes all of it, to be compared with that of another commit; what
it prints without words is in `test_batch_digests.py`. Answers are made here, without the tasks' code.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import string
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from django.http import QueryDict

from annotation import registry
from annotation.demo import encyclopedia
from annotation.derivations import DERIVATIONS
from annotation.pure.data.example import Example, reduced
from annotation.tasktype import GivenResponse, HitWithResponses, capabilities
from tests.derivations.listed import Listed, derived

JSON = dict[str, Any]
BATCHES, FEW = 200, 4
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "choose": {},
    "coreference": {},
    "sufficiency": {
        "show_answer": [True, False],
        "cannot_tell": [True, False],
        "agreement": ["majority", "all"],
        "votes": [0, 0, 2, 3],
        "evidence": [True, False],
        "others": [8, 0],
    },
    "solvability": {"show_original": [True, False]},
    "cloze": {},
}
ODD: list[Any] = [None, True, 7, -1, 1.5, "", "none", "yes", [], ["same"], {}, {"text": "x"}]


@cache
def demo() -> list[Example]:
    return encyclopedia.examples(1)


@cache
def pool(kind: str) -> list[Example]:
    """Examples of the task's folder, and those of the demo as the task needs them."""
    entries = [json.loads((registry.folder_of(kind) / name).read_text()) for name in ("examples.json", "practice.json")]
    found = [Example.from_json(entry["example"]) for listed in entries for entry in listed]
    if kind in ("choose", "coreference"):
        return found + [reduced(example, example.supports or ()) for example in demo()]
    if kind == "sufficiency":
        return found + derived(DERIVATIONS["sufficiency-pairs"], Listed(demo()[:40]), seed=1)[0]
    numbers = (2, 3, 4, 6, 14)
    return found + [
        one for n in numbers for one in derived(DERIVATIONS[f"ablation:{n}"], Listed(demo()[:12]), seed=1)[0]
    ]


def example_of(kind: str, rng: Random) -> Example:
    """One of the pool under an id of its own, with gold, compositions or bridges at random."""
    example = rng.choice(pool(kind))
    extra = dict(example.extra)
    if kind == "choose" and "compositions" not in extra:
        extra["compositions"] = [f"{example.question} {k}?" for k in range(rng.randrange(2, 10))]
        example = replace(example, question=rng.choice([*extra["compositions"], ""]))
    if kind == "coreference" and rng.random() < 0.5:
        extra["known_bridges"] = [rng.choice(["same", "different", ""]) for _hop in example.hops[1:]]
    if kind in ("cloze", "solvability") and rng.random() < 0.5:
        extra |= {name: rng.random() < 0.5 for name in ("known_solvable", "known_guessable", "known_necessary")}
    group = rng.choice(["", f"{example.id}-group", "shared"])
    return replace(example, id=f"{example.id}-{rng.randrange(10**6)}", extra=extra, group=example.group or group)


def choose(payload: JSON, rng: Random) -> JSON:
    return {"chosen": rng.choice([None, *range(len(payload["compositions"]))])}


def coreference(payload: JSON, rng: Random) -> JSON:
    bridges = [rng.choice(["same", "same", "different", "unsure"]) for _edge in payload["edges"]]
    return {"bridges": bridges, "why": rng.choice(["", "They are two."])}


def sufficiency(payload: JSON, rng: Random) -> JSON:
    offered = ["sufficient", "insufficient", *(["unsure"] if payload["cannot_tell"] else [])]
    place = rng.randrange(2)
    length = len(payload["paragraphs"][place]["text"])
    spans = [{"paragraph": place, "start": 0, "end": rng.randrange(1, length + 1)}] if length else []
    return {"verdict": rng.choice(offered), "evidence": spans if payload["evidence"] and rng.random() < 0.5 else []}


def solvability(payload: JSON, rng: Random) -> JSON:
    blank = dict.fromkeys(("paragraph", "start", "end", "option", "guessable", "necessary"))
    answer: JSON = {**blank, "solvable": False, "kind": "none", "text": "", "rationale": []}
    answer["guessable"] = rng.random() < 0.5
    texts = [paragraph["text"] for paragraph in payload["paragraphs"]]
    if rng.random() < 0.6 and any(texts):
        answer["solvable"] = True
        place = rng.choice([k for k, text in enumerate(texts) if text])
        words = texts[place].split(" ")[0] or texts[place]
        answer["rationale"] = [[place, 0, len(words)]]
        if payload["options"]:
            option = rng.randrange(len(payload["options"]))
            answer |= {"kind": "option", "option": option, "text": payload["options"][option]}
        else:
            answer |= {"kind": "span", "text": words, "paragraph": place, "start": 0, "end": len(words)}
    if answer["guessable"]:
        answer["necessary"] = not answer["solvable"] or rng.random() < 0.5
    return answer


def cloze(payload: JSON, rng: Random) -> JSON:
    words = ["?", "the", "a", "was", "Lantern", "lanterns", "of", "bridge", *string.ascii_lowercase[:4]]
    return {"words": [rng.choice(words) for _blank in payload["blanks"]], "necessary": rng.random() < 0.5}


ANSWERS: dict[str, Callable[[JSON, Random], JSON]] = {
    "choose": choose,
    "coreference": coreference,
    "sufficiency": sufficiency,
    "solvability": solvability,
    "cloze": cloze,
}


def told(run: Callable[[], Any]) -> Any:
    """What it returns, or the ValueError that it raises."""
    try:
        return run()
    except ValueError as error:
        return {"refused": str(error)}


def broken(answer: JSON, rng: Random) -> Any:
    """An answer as scripts may send it: with a field that is missing, unknown or odd."""
    name = rng.choice([*answer, "unknown"])
    made = [
        {**answer, name: rng.choice(ODD)},
        {key: value for key, value in answer.items() if key != name},
        rng.choice(ODD),
    ]
    return rng.choice(made)


def row_of(kind: str, number: int, options: Any, rng: Random) -> HitWithResponses | None:
    task, example = registry.task_type(kind), example_of(kind, rng)
    payload = task.prepare(example, options, rng)
    if payload is None:
        return None
    payload = json.loads(json.dumps(payload))
    workers = rng.sample(string.ascii_uppercase[:6], rng.choice([0, 1, 2, 3, 3, 5]))
    given = tuple(
        GivenResponse(name, ANSWERS[kind](payload, rng), rng.choice([0.0, 7.5, rng.random() * 90])) for name in workers
    )
    assert not [problem for one in given for problem in task.check(payload, one.answer)]
    predicted = ()
    if kind == "solvability":
        text = rng.choice([*example.answers, example.question, ""])
        predicted = tuple(GivenResponse(name, task.complete(payload, {"text": text})) for name in ("m", "n"))
    excluded, dataset = rng.choice([""] * 9 + ["broken"]), rng.choice("xy")
    format = rng.choice(["jsonl", "squad"])
    row = HitWithResponses(f"hit-{number}", dataset, format, example, payload, given, excluded, predicted)
    return replace(row, wanted=rng.choice([0, 3]))


def of_forms(kind: str, payload: JSON, answer: JSON, rng: Random) -> Iterator[Any]:
    """What the form shows and posts of an answer, and what it reads of other values."""
    shown, form = capabilities.arrange(registry.task_type(kind), payload, rng), registry.form_class(kind)
    yield [shown, form(shown).shown(None)["fields"], form(shown).shown(answer)["fields"]]
    posted = form(shown).posted(answer)
    for change in (
        {},
        {rng.choice(list(posted)): [rng.choice(["", "yes", "no", "0", "none", "same", "x y", "0:0:1"])]},
    ):
        data = QueryDict(mutable=True)
        for name, values in (posted | change).items():
            data.setlist(name, values)
        yield form(shown, data).answer()


def of_hit(kind: str, row: HitWithResponses, rng: Random) -> Iterator[Any]:
    """What the task makes of one HIT's responses."""
    task, payload, gold = registry.task_type(kind), row.payload, row.example
    answers = [one.answer for one in row.given]
    yield [payload, task.group(gold), capabilities.seconds(task, payload), task.gradable(payload, gold)]
    stored = [answers, [{**one, "accepted": True} for one in answers[:1]]]
    for some in stored:
        result = task.aggregate(payload, some)
        yield [result, task.unsettled(result), task.agreeing(payload, some, result), task.differences(payload, some)]
        yield [made.as_json() for made in task.export(gold, result)]
        yield capabilities.provenance(task, payload, some, result)
    for shown in (gold, Example(id="", question="", paragraphs=())):
        compare = capabilities.compare(task, payload, row.given, shown)
        yield {name: value for name, value in compare.items() if name != "words"}
    for answer in answers:
        yield [task.brief(payload, answer), task.grade(payload, answer, gold)]
        yield [asdict(remark) for remark in capabilities.feedback(task, payload, answer, gold)]
        yield [told(lambda: task.complete(payload, json.loads(json.dumps(answer))))]  # noqa: B023 - called at once
        other = broken(answer, rng)
        yield [other, told(lambda: task.complete(payload, other))]  # noqa: B023
        yield from of_forms(kind, payload, answer, rng)
    for right in (True, False):
        yield capabilities.imitate(task, payload, gold, rng, right=right)


def of_batch(kind: str, seed: int) -> list[Any]:
    """Everything about one random batch, as JSON."""
    rng = Random(f"{kind} {seed}")
    task = registry.task_type(kind)
    stored = {name: rng.choice(values) for name, values in OPTIONS[kind].items()}
    options = task.options(stored)
    rows = [row for k in range(rng.choice([1, 2, 6, 12, 30])) if (row := row_of(kind, k, options, rng))]
    found = [each for row in rows for each in of_hit(kind, row, rng)]
    labels = {name: [label.words, label.holds] for name, label in capabilities.labels(task).items()}
    return [found, task.report(rows, options, seed=seed), labels, capabilities.asked(task, stored)]


WORDS = {"text", "title", "note", "columns", "paragraph", "message", "refused", "intervals", "asked", "words", "values"}


def without_words(value: Any) -> Any:
    """Without the texts of a report and of messages, which may be put better."""
    if isinstance(value, dict):
        return {name: without_words(each) for name, each in value.items() if name not in WORDS}
    return [without_words(each) for each in value] if isinstance(value, list) else value


def digest(content: list[Any]) -> str:
    return hashlib.sha256(json.dumps(content, allow_nan=False).encode()).hexdigest()[:16]


def figures_digest(kind: str, batches: int) -> str:
    """Of stored answers and figures of the first batches."""
    contents = [json.loads(json.dumps(of_batch(kind, seed)[:2])) for seed in range(batches)]
    return digest(without_words(contents))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(ANSWERS))
    parser.add_argument("--dump", type=Path)
    parser.add_argument("--batches", type=int, default=BATCHES)
    given = parser.parse_args()
    for kind in given.kinds:
        contents = [of_batch(kind, seed) for seed in range(given.batches)]
        if given.dump:
            given.dump.mkdir(parents=True, exist_ok=True)
            (given.dump / f"{kind}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in contents))
        print(kind, digest(contents), figures_digest(kind, FEW))


if __name__ == "__main__":
    main()
