"""Changes between two versions of an example, part by part and word by word."""

import json
from collections.abc import Iterator, Mapping

from annotation.pure.data.example import Example
from annotation.pure.data.subquestion_corrections import Change, difference

Label = tuple[str, int]  # ("question", 0), ("paragraph", 3), ...: parts are counted from 1

LONGEST = 15_000  # characters of a part that are still compared word by word


def changes(old: Example, new: Example) -> dict[Label, list[Change]]:
    """Diffs of the parts that differ, by label, in the order of display."""
    before, after = dict(_parts(old)), dict(_parts(new))
    labels = [*after, *(label for label in before if label not in after)]
    texts = ((label, before.get(label, ""), after.get(label, "")) for label in labels)
    return {label: bounded_difference(one, other) for label, one, other in texts if one != other}


def bounded_difference(old: str, new: str) -> list[Change]:
    """Changes word by word; of long texts, whose comparison would take seconds, one text for the other."""
    if len(old) + len(new) <= LONGEST:
        return difference(old, new)
    return [Change(kind, text) for kind, text in (("out", old), ("in", new)) if text]


def _parts(example: Example) -> Iterator[tuple[Label, str]]:
    yield ("question", 0), example.question
    yield ("answers", 0), "\n".join(example.answers)
    supports = ("–",) if example.supports is None else (str(position + 1) for position in example.supports)
    yield ("support", 0), ", ".join(supports)
    for number, paragraph in enumerate(example.paragraphs, start=1):
        yield ("paragraph", number), f"{paragraph.title}\n{paragraph.text}"
    for number, hop in enumerate(example.hops, start=1):
        yield ("hop", number), f"{hop.question}\n{hop.answer}"
    yield ("rest", 0), _rest(example)


def _rest(example: Example) -> str:
    """Every other field, as JSON over several lines."""
    shown = {"question", "answers", "supports", "paragraphs", "hops"}
    rest: Mapping[str, object] = {key: value for key, value in example.as_json().items() if key not in shown}
    return json.dumps(rest, ensure_ascii=False, indent=1)
