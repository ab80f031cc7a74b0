"""The story of the README: a requester imports questions and invites people, they answer, and figures come out.

Requesters and annotators use the pages as a browser without scripts would; the rest is done by command.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.demo import encyclopedia
from annotation.flow.people import consent
from annotation.flow.projects.projects import project_named
from annotation.formats import FORMATS
from annotation.models import Batch, Invite, Member, User
from annotation.pure.data.example import Example
from tests.conftest import PASSWORD
from tests.one_line import one_line
from tests.tasks.html_form import read_form

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="every verb once, in the order of a study")]
QUESTIONS = 4


def command(capsys: pytest.CaptureFixture[str], name: str, *arguments: Any) -> Any:
    """The JSON document of `manage.py NAME ... --json`."""
    capsys.readouterr()
    call_command(name, *map(str, arguments), "--json")
    return json.loads(capsys.readouterr().out)


def file_of(them: list[Example], path: Path) -> Path:
    with path.open("wb") as out:
        FORMATS["jsonl"].write(them, out)
    return path


class Browser:
    """Somebody's browser, without scripts: it follows links and sends the forms that the pages hold."""

    def __init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.url, self.html = "", ""

    def open(self, url: str) -> Browser:
        return self._arrived(self.client.get(url, follow=True))

    def send(self, ending: str, **fields: Any) -> Browser:
        """Fill in the form whose address ends so and send it, with everything that is in it already."""
        action, given = self._form(ending)
        return self._arrived(self.client.post(action, given | fields, follow=True))

    def work(self, **fields: Any) -> Browser:
        """Fill in the answer page and submit it."""
        action, given = read_form(self.html)
        return self._arrived(self.client.post(action, given | fields, follow=True))

    def _form(self, ending: str) -> tuple[str, dict[str, Any]]:
        for form in re.findall(r"<form\b.*?</form>", self.html, re.S):
            action = re.search(r'action="([^"]*)"', form)
            target = action[1] if action else self.url
            if 'method="post"' in form and target.endswith(ending):
                hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
                return target, dict(hidden)
        raise LookupError(f"{self.url} has no form to {ending}")

    def _arrived(self, response: Any) -> Browser:
        assert response.status_code in (200, 422), response.status_code
        chain = getattr(response, "redirect_chain", [])
        self.url = chain[-1][0] if chain else response.request["PATH_INFO"]
        self.html = response.content.decode()
        return self

    @property
    def question(self) -> str:
        """The question on the page; "" where there is none."""
        found = re.search(r'<h2\s+id="question"[^>]*>(.*?)</h2>', self.html, re.S)
        return found[1].strip() if found else ""

    @property
    def titles(self) -> list[str]:
        return [
            re.sub(r"<[^>]+>", "", title).strip()
            for title in re.findall(r'<h3 id="title-\d+"[^>]*>(.*?)</h3>', self.html, re.S)
        ]


@pytest.fixture
def requester(db: None) -> Browser:
    """Alice, who runs the default project, signed in."""
    user = User.objects.create_user("alice", password=PASSWORD)
    Member.objects.create(project=project_named(), user=user)
    consent.fill_in(project_named(), contact="alice@example.org", ethics="board 7")
    return Browser().open(reverse("sign-in")).send("/sign-in/", username="alice", password=PASSWORD)


def joined(link: str, name: str) -> Browser:
    """An annotator who opened an invite link, made an account and accepted the consent text."""
    annotator = Browser().open(link)
    annotator.send("/", username=name, display_name=name.title(), password=PASSWORD)
    assert "/consent/" in annotator.url
    return annotator.send("/consent/")


def answered(annotator: Browser, batch: Batch, answers: dict[str, tuple[str, tuple[str, ...]]]) -> int:
    """Read the guide and answer until nothing is left: {question: (text, titles of the supports)}."""
    annotator.open(reverse("work")).send(f"/batches/{batch.pk}/start/").send("/instructions/")
    count = 0
    while annotator.question:
        text, supports = answers[annotator.question]
        ticks = [str(place) for place, title in enumerate(annotator.titles) if title in supports]
        annotator.work(kind="text", text=text, support=ticks)
        count += 1
        assert count <= QUESTIONS
    return count


def right(example: Example) -> tuple[str, tuple[str, ...]]:
    return str(example.answer), tuple(example.paragraphs[k].title for k in example.supports or ())


def test_questions_go_in_people_answer_them_and_figures_come_out(
    requester: Browser, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    examples = encyclopedia.examples(seed=0)[:QUESTIONS]
    file = file_of(examples, tmp_path / "vennory.jsonl")
    open_a_batch(capsys, file)
    link = invite_three(requester)
    three_people_answer(link, examples)
    found = the_figures_are_right(capsys)
    assert "100" in requester.open(reverse("report", args=["default", "study"])).html
    export_everything(capsys, file, tmp_path)
    judged_elsewhere_it_scores_alike(capsys, tmp_path, found)


def open_a_batch(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    """The requester imports the questions and opens a batch for three people; the same file again is nothing to do."""
    imported = ["import_dataset", file, "--format", "jsonl", "--name", "vennory", "--licence", "CC0"]
    report = command(capsys, *imported)
    assert (report["read"], report["accepted"], report["errors"]) == (QUESTIONS, QUESTIONS, 0)
    assert command(capsys, *imported)["already_there"]
    made = command(capsys, "create_batch", "study", "--task", "answer", "--dataset", "vennory", "--assignments", 3)
    assert made["hits"] == QUESTIONS
    assert "You need 3 workers and have 0." in made["warnings"][0]


def invite_three(requester: Browser) -> str:
    """She makes an invite link on the page, good for three."""
    people = reverse("people", args=["default"])
    requester.open(people).send("/people/", role="worker", places="3", days="14", note="")
    link = reverse("join", args=[Invite.objects.get().token])
    assert link in requester.html
    return link


def three_people_answer(link: str, examples: list[Example]) -> None:
    """Ann and Ben answer everything right; Cleo mistakes one question and forgets supports of another."""
    batch = Batch.objects.get()
    truth = {example.question: right(example) for example in examples}
    first, second = examples[:2]
    slips = truth | {
        first.question: (first.paragraphs[0].text.split()[0], truth[first.question][1]),
        second.question: (truth[second.question][0], truth[second.question][1][:1]),
    }
    for name, answers in {"ann": truth, "ben": truth, "cleo": slips}.items():
        annotator = joined(link, name)
        assert answered(annotator, batch, answers) == QUESTIONS
        assert annotator.url == reverse("batch-done", args=[batch.pk])
        assert one_line(annotator.open(reverse("history")).html).count('/messages/">Ask a question</a>') == QUESTIONS
    assert Client().get(link).status_code == 410


def the_figures_are_right(capsys: pytest.CaptureFixture[str]) -> Any:
    """The human score comes out, with agreement and each one's own figures."""
    found = command(capsys, "score_batch", "study")["datasets"]["vennory"]
    assert (found["n"], found["excluded"], len(found["by_worker"])) == (QUESTIONS, 0, 3)
    for part in ("answer", "support"):
        assert found[part]["human_score"]["f1"]["value"] == 1
        assert found[part]["upper_bound"]["em"]["value"] == 1
        assert found[part]["average"]["em"]["value"] == pytest.approx(11 / 12)
        assert found[part]["agreement"]["em"]["value"] == pytest.approx((3 + 2 / 3) / 4)
    return found


def export_everything(capsys: pytest.CaptureFixture[str], file: Path, folder: Path) -> None:
    """The judgments come out under pseudonyms, the dataset as it went in."""
    result = command(capsys, "export_responses", "study", "--format", "jsonl", "--out", folder / "responses.jsonl")
    assert result["records"] == 3 * QUESTIONS
    responses = (folder / "responses.jsonl").read_text().lower()
    assert not [name for name in ("ann", "ben", "cleo") if f'"{name}"' in responses]
    command(capsys, "export_dataset", "vennory", "--format", "jsonl", "--out", folder / "out.jsonl")
    assert (folder / "out.jsonl").read_bytes() == file.read_bytes()


def judged_elsewhere_it_scores_alike(capsys: pytest.CaptureFixture[str], folder: Path, found: Any) -> None:
    """The exported judgments, read into another batch over the same questions, give the same figures."""
    command(capsys, "create_batch", "again", "--task", "answer", "--dataset", "vennory", "--assignments", 3)
    rows = [json.loads(line) for line in (folder / "responses.jsonl").read_text().split("\n") if line]
    kept = ("dataset", "item", "worker", "answer")
    lines = [json.dumps({name: row[name] for name in kept}) + "\n" for row in rows]
    (folder / "carried.jsonl").write_text("".join(lines))
    assert command(capsys, "import_responses", "again", folder / "carried.jsonl")["accepted"] == 3 * QUESTIONS
    again = command(capsys, "score_batch", "again")["datasets"]["vennory"]
    for part in ("answer", "support", "by_hops"):
        assert again[part] == found[part]
