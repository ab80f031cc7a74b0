"""Potato: one process with threads and files, as `potato start` runs it.

Items are drawn at random: in fixed order, its default, the first people get all of them at once, so that everybody else
does too; then more responses come than are wanted, and an item costs several times as much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from tests.bench.peers.peer import Peer, in_peers_way
from tests.bench.peers.people import Person

SHOWN = re.compile(r'name="instance_id" type="hidden" value="([^"]+)"')
FIELDS = ("answer", "support")


class Potato(Peer):
    title, packages = "Potato", ["potato-annotation"]
    person, wanted, batch = f"{__name__}:Annotating", 3, 0  # it has one task

    def prepare(self, records: list[dict[str, Any]], people: int) -> None:
        with (self.folder / "data.jsonl").open("w") as out:
            for record in records:
                out.write(json.dumps({"id": record["id"], "text": in_peers_way(record)}) + "\n")
        settings = {
            "annotation_task_name": "peers",
            "task_dir": ".",
            "output_annotation_dir": "out",
            "data_files": ["data.jsonl"],
            "item_properties": {"id_key": "id", "text_key": "text"},
            "annotation_schemes": [{"annotation_type": "text", "name": name, "description": name} for name in FIELDS],
            "num_annotators_per_item": self.wanted,
            "assignment_strategy": "random",
            "require_password": False,
            "user_config": {"allow_all_users": True, "users": []},
            "host": "127.0.0.1",
        }
        (self.folder / "config.yaml").write_text(json.dumps(settings))  # JSON is YAML
        self.sessions = [f"worker-{number}" for number in range(people)]

    def command(self) -> list[str]:
        return ["potato", "start", "config.yaml", "-p", str(self.port)]

    def stored(self) -> Iterator[tuple[str, str]]:
        for file in (self.folder / "out").glob("*/user_state.json"):
            for record, labels in json.loads(file.read_text())["instance_id_to_label_to_value"].items():
                if any(label["schema"] == "answer" and value == f"Tower {record}" for label, value in labels):
                    yield file.parent.name, record


class Annotating(Person):
    """Each change of item: what was answered is saved, the next one asked for, and the page loaded again."""

    def sign_in(self) -> None:
        self.ask("POST", "/auth", urlencode({"action": "login", "email": self.session, "pass": ""}))
        self._before: str | None = None

    def show(self) -> str | None:
        if self._before is not None:
            self._post("/annotate", {"action": "next_instance", "instance_id": self._before})
        _, _, page = self.ask("GET", "/annotate")
        found = SHOWN.findall(page)
        self._before = found[0] if found else None
        return self._before

    def submit(self, record: str) -> None:
        values = {"answer": f"Tower {record}", "support": "0"}
        answers = {f"{name}:text_box": values[name] for name in FIELDS}
        body = {"instance_id": record, "annotations": answers, "cleared_schemas": [], "span_annotations": []}
        status, _, said = self._post("/updateinstance", body)
        if status != 200 or json.loads(said)["status"] != "success":
            self._out.write({"unexpected": status, "page": said[:500]})

    def _post(self, path: str, body: dict[str, Any]) -> tuple[int, str, str]:
        more = {"Content_Type": "application/json", "X_Potato_Navigation": "1"}
        return self.ask("POST", path, json.dumps(body), **more)
