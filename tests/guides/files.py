"""The files that examples of the guides name, small ones of our own invention."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.formats import FORMATS
from annotation.pure.data.example import Example, Paragraph
from tests.conftest import records
from tests.hub.double import Hub
from tests.single_hops import singlehop_examples

QUESTIONS = 130  # the guides draw 125


def write_files(folder: Path) -> None:
    """Write every file that a guide names and no command of it makes."""
    wells = [Example.from_json(record) for record in records(QUESTIONS)]
    bridges = [hotpot(example) for example in wells]
    singles = singlehop_examples()
    for name in ("hotpot_dev_distractor_v1.json", "hotpot_dev.json"):
        write(folder / name, bridges, "hotpotqa")
    write(folder / "dev.jsonl", wells, "jsonl")
    (folder / "dev.jsonl.gz").write_bytes(gzip.compress((folder / "dev.jsonl").read_bytes()))
    write(folder / "musique_ans_v1.0_dev.jsonl", wells, "musique")
    write(folder / "musique_full_v1.0_dev.jsonl", twins(wells), "musique")
    write(folder / "my-questions.jsonl", [*singles, *lonely(50)], "jsonl")
    write(folder / "dev-v1.1.json", singles, "squad")
    dump(folder / "predictions.json", {example.id: example.answers[0] for example in singles})
    table(folder / "mydata.csv", singles)
    lines(folder / "id_aliases.json", [{"Q_id": "Q1", "aliases": ["Tower 0"], "demonyms": []}])
    write(folder / "2wiki_dev.json", bridges, "2wikimultihopqa")
    dump(folder / "pred.json", answers_and_facts(bridges))
    dump(folder / "2wiki_pred.json", answers_and_facts(bridges) | {"evidence": {e.id: [] for e in bridges}})
    answer = {"text": "Tower 0", "support": [0, 1]}
    lines(folder / "elsewhere.jsonl", [{"dataset": "items", "item": 0, "worker": "ada", "answer": answer}])
    for text in ("hypotheses", "design", "exclusions", "analysis"):
        (folder / f"{text}.md").write_text(f"The {text} of a study of ours.\n")
    lines(folder / "generated.jsonl", [subquestions(example) for example in bridges])


def publish(hub: Hub, folder: Path) -> None:
    """Put the datasets that guides import from the Hub on its double."""
    rows = (folder / "hotpot_dev.json").read_bytes()
    hub.add("your-lab/tables", {"data/train-00000-of-00001.csv": (folder / "mydata.csv").read_bytes()})
    hub.add("hotpotqa/hotpot_qa", {f"{config}/validation.json": rows for config in ("distractor", "fullwiki")})


def lonely(size: int) -> list[Example]:
    """Single-hop questions that no other one leads to: their paragraphs fill contexts and those of twins."""
    made = []
    for k in range(size):
        text = f"Islet {k} lies off the northern coast. Nobody lives there. In winter {k + 100} seals rest on it."
        text += " A stone hut without a roof is all that its last keeper left behind."
        paragraph = Paragraph(f"Islet {k}", text)
        question = f"How many seals rest on Islet {k} in winter?"
        made.append(Example(str(9000 + k), question, (paragraph,), (str(k + 100),), supports=(0,), group=str(9000 + k)))
    return made


def write(path: Path, examples: Iterable[Example], format: str) -> None:
    with path.open("wb") as out:
        FORMATS[format].write(examples, out)


def table(path: Path, examples: Iterable[Example]) -> None:
    """A table with columns of its own."""
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["q", "ans", "passage_1", "passage_2"])
        writer.writerows([e.question, e.answer, e.paragraphs[0].text, "An inn is old."] for e in examples)


def dump(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))


def lines(path: Path, values: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))


def hotpot(example: Example) -> Example:
    """The example as HotpotQA has it: sentences, supporting facts, a type; no hops."""
    paragraphs = tuple(
        Paragraph.of_sentences(paragraph.title, tuple(f"{sentence}." for sentence in paragraph.text.split(".")[:-1]))
        for paragraph in example.paragraphs
    )
    facts = tuple((place, 0) for place in example.supports or ())
    extra = {"type": "bridge", "level": "medium"}
    return replace(example, paragraphs=paragraphs, facts=facts, hops=(), shape="", extra=extra)


def twins(examples: Sequence[Example]) -> list[Example]:
    """Each example and its twin, which lacks the first supporting paragraph."""
    made = []
    for example in examples:
        first, *others = example.hops
        hops = (replace(first, support=None), *(replace(hop, support=(hop.support or 1) - 1) for hop in others))
        lacking = replace(example, answerable=False, paragraphs=example.paragraphs[1:], supports=(0,), hops=hops)
        made += [replace(example, answerable=True, group=example.id), replace(lacking, group=example.id)]
    return made


def answers_and_facts(examples: Iterable[Example]) -> dict[str, Any]:
    facts = {e.id: [[e.paragraphs[p].title, s] for p, s in e.facts or ()] for e in examples}
    return {"answer": {e.id: e.answers[0] for e in examples}, "sp": facts}


def subquestions(example: Example) -> dict[str, str]:
    number = example.id.rpartition("-")[2]
    first, second = f"Which well did Ana Brook dig in year {number}?", "Which tower stands beside ____?"
    return {"id": example.id, "sub1": first, "sub2": second}
