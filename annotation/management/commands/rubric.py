"""Say what a rubric shows and asks of a dataset's items, before there is a batch."""

import json
from collections import Counter
from typing import Any

from annotation.flow.batches import task_fit
from annotation.flow.setting_values import InvalidSettings, read_options
from annotation.management.json_command import JSONCommand, dataset_named, integer_between, project_of, rubric, slug
from annotation.management.setting_options import option_values
from annotation.pure.data.example import Example
from annotation.pure.ratings.showing import LeftOut, controls_of, payload_of
from annotation.pure.text.languages import worded
from annotation.registry import presets, task_type

RUBRIC = "a rubric as JSON or YAML (docs/rubrics.md), or the name of a preset: " + ", ".join(presets("rate"))
MOST_SHOWN = 60  # characters of a value


class Command(JSONCommand):
    help = "Say what a rubric shows and asks of a dataset's items, and which items it leaves out. Makes nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument("rubric", type=rubric, metavar="FILE", help=RUBRIC)
        parser.add_argument("--dataset", required=True, type=slug, metavar="NAME")
        parser.add_argument("--items", type=integer_between(0, 100), default=3, help="how many to show (default: 3)")

    def act(self, **options: Any) -> dict[str, Any]:
        dataset, task = dataset_named(project_of(options), options["dataset"]), task_type("rate")
        settled = read_options(task.Options, option_values([("rubric", f"@{options['rubric']}")], task.Options))
        given = {"rubric": settled.rubric}
        if wrong := task_fit.problems([dataset], task, given):
            raise InvalidSettings(wrong)
        shown: list[dict[str, Any]] = []
        sizes, left_out = [], Counter[str]()
        for item in dataset.items.usable().order_by("position").iterator(chunk_size=100):
            try:
                payload = payload_of(settled.parsed, item.example)
            except LeftOut as reason:
                left_out[str(reason)] += 1
                continue
            sizes.append((controls_of(payload), len(json.dumps(payload, ensure_ascii=False).encode())))
            if len(shown) < options["items"]:
                shown.append(_described(item.position, item.example, payload))
        most = {
            "most_controls": max(sizes, default=(0, 0))[0],
            "most_bytes": max((size for _n, size in sizes), default=0),
        }
        told = task_fit.warnings([dataset], task, given)
        return {"items": shown, "rated": len(sizes), "left_out": dict(left_out), **most, "warnings": told}

    def lines(self, result: dict[str, Any]) -> list[str]:
        found = []
        for item in result["items"]:
            found += [f"Item {item['position']} ({item['id']})"]
            found += [f"  shows {name}: {value}" for name, value in item["shows"].items()]
            found += [f"  asks {name}: {asked}" for name, asked in item["asks"].items()]
        counts = "{rated} items can be rated; at most {most_controls} controls and {most_bytes} bytes an item."
        found += [counts.format(**result)]
        found += [f"{n} items are left out: {why}" for why, n in result["left_out"].items()]
        return [*found, *result["warnings"]]


def _described(position: int, example: Example, payload: dict[str, Any]) -> dict[str, Any]:
    """What is shown of an item and asked about it, in words."""
    shows = {each["field"]: _cut(each["value"]) for each in payload["show"]}
    rows = {name: len(each["elements"]) for name, each in payload["lists"].items()}
    asks = {each["name"]: _asked(each, rows) for each in payload["criteria"]}
    return {"position": position, "id": example.id, "shows": shows, "asks": asks}


def _asked(criterion: dict[str, Any], rows: dict[str, int]) -> str:
    times = f" ({rows[criterion['each']]} × {criterion['each']})" if criterion["each"] else ""
    values = ", ".join(map(str, criterion["values"]))
    return f"{worded(criterion['ask'])} {criterion['kind']}{f' [{_cut(values)}]' if values else ''}{times}"


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
