"""doccano: its own `doccano webserver` (gunicorn with 2 × cores + 1 processes) on SQLite, as its package starts it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from tests.bench.peers.peer import Peer, in_peers_way
from tests.bench.peers.people import Person
from tests.bench.peers.turkle import SHOWN, SIGNED_IN
from tests.process.annotators import TOKEN

FILL = (
    """
import json, os, sys
import backend
sys.path.insert(0, os.path.dirname(backend.__file__))
import django
django.setup()
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from examples.models import Example
from projects.models import Member, Seq2seqProject
from roles.models import Role
"""
    + SIGNED_IN
    + """
project = Seq2seqProject.objects.create(name="peers", description="peers", project_type="Seq2seq")
texts = map(json.loads, open("records.jsonl"))
Example.objects.bulk_create([Example(project=project, text=text) for text in texts], batch_size=500)
people = [signed_in(number) for number in range(int(sys.argv[1]))]
role = Role.objects.get(name="annotator")
Member.objects.bulk_create([Member(user=user, project=project, role=role) for user, session in people])
print(json.dumps([project.pk, [session for user, session in people]]))
"""
)


class Doccano(Peer):
    """Everybody gets every record: it cannot be told how many responses one needs."""

    # newer ones are allowed by what it depends on, but do not work with it
    title, packages = "doccano", ["doccano", "marshmallow<4", "numpy<2"]
    person, wanted = f"{__name__}:Labelling", None

    def environment(self) -> dict[str, str]:
        home = {"DOCCANO_HOME": str(self.folder), "DATABASE_URL": f"sqlite:///{self.folder}/db.sqlite3"}
        more = {"SECRET_KEY": "not a secret", "DJANGO_SETTINGS_MODULE": "config.settings.production"}
        return super().environment() | home | more | {"STANDALONE": "True", "DEBUG": "False"}

    def prepare(self, records: list[dict[str, Any]], people: int) -> None:
        with (self.folder / "records.jsonl").open("w") as out:
            out.writelines(json.dumps(in_peers_way(record)) + "\n" for record in records)
        self.python(str(self.bin / "doccano"), "init")
        self.batch, self.sessions = json.loads(self.python("-c", FILL, str(people)))

    def command(self) -> list[str]:
        return ["doccano", "webserver", "--port", str(self.port)]

    def stored(self) -> Iterator[tuple[str, str]]:
        with sqlite3.connect(self.folder / "db.sqlite3") as database:
            rows = database.execute(
                "SELECT u.username, t.text FROM labels_textlabel t JOIN auth_user u ON u.id = t.user_id "
                "JOIN examples_examplestate s ON s.example_id = t.example_id AND s.confirmed_by_id = t.user_id"
            )
            for username, text in rows:
                yield self.sessions[int(username.split("-")[1])], text.split()[1]


class Labelling(Person):
    """A record and its labels are read, the answer is added and the labels read again, then the record is confirmed."""

    def sign_in(self) -> None:
        self.cookies = {"sessionid": self.session, "csrftoken": TOKEN}
        self._project = f"/v1/projects/{self._batch}"
        done = json.loads(self.ask("GET", f"{self._project}/metrics/progress")[2])
        self._page = done["complete"]

    def show(self) -> str | None:
        query = urlencode({"limit": 1, "offset": self._page, "q": "", "confirmed": "", "ordering": ""})
        found = json.loads(self.ask("GET", f"{self._project}/examples?{query}")[2])["results"]
        if not found:
            return None
        self._page += 1
        self._example = f"{self._project}/examples/{found[0]['id']}"
        self.ask("GET", f"{self._example}/texts")
        return str(SHOWN.findall(found[0]["text"])[0])

    def submit(self, record: str) -> None:
        self._post("texts", {"text": f"Tower {record} 0"})
        self.ask("GET", f"{self._example}/texts")
        self._post("states", {})

    def go_on(self) -> None:
        self.ask("GET", self._example)
        self.ask("GET", f"{self._project}/metrics/progress")

    def _post(self, what: str, body: dict[str, Any]) -> None:
        more = {"Content_Type": "application/json", "X_CSRFToken": TOKEN}
        status, _, said = self.ask("POST", f"{self._example}/{what}", json.dumps(body), **more)
        if status != 201:
            self._out.write({"unexpected": status, "page": said[:500]})
