"""What a guide takes for granted, and what goes on between its blocks: `python -m tests.guides.given FOLDER STEP …`.

Runs in the installation's environment. A step is the path of a guide, whose GIVEN is made ready, or one of STEPS. The
last line that a guide's step prints is JSON: what stands for words of its examples.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

MOST = 40  # assignments of a worker in a batch: enough for reports, and soon done

OWNER = 'create_account you@lab.example --password "a long enough phrase"'
HOTPOT = "import_dataset hotpot_dev_distractor_v1.json --format hotpotqa --name"
WELLS = "import_dataset dev.jsonl --format jsonl --name"
SINGLE = "import_dataset my-questions.jsonl --format jsonl --name single"
GRAPHS = [
    SINGLE,
    "derive_dataset single --how composable-pairs --name pairs",
    "derive_dataset pairs --how graphs --name graphs --option count=20",
]
KEYS = "an access key"
PEOPLE = "people answer"

# Commands, as they follow `manage.py`, and STEPS before the first block of a guide.
GIVEN: dict[str, list[str]] = {
    "docs/api.md": [
        'create_account mara@example.org --password "a long enough phrase"',
        "create_project wells --owner mara@example.org",
        f"{WELLS} wells --project wells",
    ],
    "docs/client.md": [OWNER, "create_project demo --owner you@lab.example", "a token"],
    "docs/disconnected-reasoning.md": [f"{HOTPOT} hotpot", "probes and predictions"],
    "docs/rubrics.md": [],  # only the consent text
    "docs/tutorial-models.md": [OWNER],
    "docs/responses.md": [
        f"{WELLS} items",
        "create_batch human-study --task answer --dataset items --assignments 1",
        PEOPLE,
    ],
    "docs/money.md": [
        OWNER,
        "create_project musique --owner you@lab.example",
        f"{WELLS} dev",
        f"{WELLS} dev --project musique",
        "put_money 100 --project musique",
        "create_batch paid --task answer --dataset dev --sample 2 --paid --reward 0.25 --project musique",
        PEOPLE,
        "approve everything",
    ],
    "docs/moving-from-mturk.md": [KEYS],
    "docs/publishing.md": [OWNER, f"{WELLS} wells", KEYS],
    "docs/qualifications.md": [f"{WELLS} wide", "scores of workers"],
    "docs/dry-runs.md": [f"{WELLS} dev", "create_batch human-study --task answer --dataset dev --sample 5"],
    "docs/requesters.md": [
        f"{HOTPOT} hotpotqa-dev",
        f"{HOTPOT} hotpot-dev",
        SINGLE.replace("--name single", "--name musique-train"),
        "import_dataset musique_full_v1.0_dev.jsonl --format musique --name full-dev",
        "import_dataset dev-v1.1.json --format squad --name squad",
        "derive_dataset hotpot-dev --how bridge-subquestions --name sub --option generated=generated.jsonl",
        *(
            f"create_batch {arm} --task answer --dataset hotpot-dev --sample 2"
            for arm in ("with-hints", "without-hints")
        ),
    ],
    "docs/qualification-rounds.md": [
        *(f"{WELLS} {name}" for name in ("musique-dev", "hotpotqa-dev", "2wiki-dev", "dev", "known")),
        *GRAPHS,
    ],
    "docs/studies.md": [OWNER, "a token"],
    "tasks/answer/README.md": [f"{WELLS} dev"],
    "tasks/answerability/README.md": [f"{HOTPOT} hotpot-dev"],
    "tasks/choose/README.md": GRAPHS,
    "tasks/cloze/README.md": [],
    "tasks/rate/README.md": [OWNER, "a token"],
    "tasks/compose/README.md": GRAPHS,
    "tasks/coreference/README.md": GRAPHS[:2],
    "tasks/hops/README.md": [f"{WELLS} dev"],
    "tasks/solvability/README.md": [],  # only the consent text
    "tasks/subquestions/README.md": [],
    "tasks/sufficiency/README.md": [],
    "docs/runbook.md": ['create_account them@lab.example --password "a long enough phrase"'],
}


def people_answer(most: int = MOST, *, against_gold: bool = False) -> bool:
    """Let invented workers answer what is open, rightly mostly; whether there was anything to answer.

    `against_gold`: each as wrongly as all the others.
    """
    from annotation.flow.work import next_assignment, submissions
    from annotation.models import Batch, Participation, User, Worker
    from annotation.registry import task_type
    from annotation.tasktype import capabilities

    answered = False
    for batch in Batch.objects.filter(state=Batch.State.OPEN, by_program=False).select_related("project"):
        for number in range(1, batch.assignments_per_hit + 1):
            user, _new = User.objects.get_or_create(username=f"worker-{number}")
            consented = {"consented_version": batch.project.consent_version}
            worker, _new = Worker.objects.get_or_create(project=batch.project, user=user, defaults=consented)
            participation = next_assignment.join_batch(worker, batch)
            next_assignment.read_instructions(participation, version=batch.instructions.version)
            rng = Random(f"{batch.slug}/{number}")
            for _assignment in range(most):
                row = next_assignment.claim(Participation.objects.select_related("batch").get(pk=participation.pk))
                if row is None:
                    break
                task, gold = task_type(batch.task), row.hit.item.example
                right = not against_gold and rng.random() < 0.9
                words = Random(row.hit.public_id) if against_gold else rng
                answer = capabilities.imitate(task, row.hit.payload, gold, words, right=right)
                if batch.task == "choose":  # no item says which composition is best
                    answer = {"chosen": 0}
                if answer and number > 1 and answer.get("question"):  # each composer has words of their own
                    answer["question"] = f"Say, {answer['question']}"
                submissions.submit(row, answer, key="0.form", base=0, active_seconds=rng.uniform(20, 90))
                answered = True
    return answered


def approve_everything() -> None:
    from annotation.flow.review import approval_queue, assignment_approval
    from annotation.models import Project

    for project in Project.objects.all():
        for row in approval_queue.waiting(project):
            assignment_approval.approve(row)


def gold_is_corrected() -> None:
    """Let workers agree against gold, and put what they say in its place."""
    from annotation.flow.review import gold_in_doubt
    from annotation.models import Batch, Hit
    from annotation.pure.review import gold_corrections

    people_answer(most=20, against_gold=True)
    for found in gold_in_doubt.doubts(Batch.objects.get(slug="human-study")):
        gold_in_doubt.decide(Hit.objects.get(pk=found.pk), gold_corrections.CORRECTION, text=found.text, reviewer=None)


def second_factor() -> None:
    from django_otp.oath import TOTP

    from annotation.flow.people import two_factor
    from annotation.models import User

    key = two_factor.proposed_key()
    assert two_factor.confirm(
        User.objects.get(username="them@lab.example"), key, f"{TOTP(bytes.fromhex(key)).token():06}"
    )


def move_away() -> None:
    """Leave of the installation only its backup, under the name of another day."""
    from django.conf import settings

    (archive,) = Path().glob("hopscribe-*.tar.gz")
    archive.rename("hopscribe-2026-11-21.tar.gz")
    database = Path(settings.DATABASES["default"]["NAME"])
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()


def token() -> dict[str, str]:
    from annotation.flow.projects import api_tokens
    from annotation.models import User

    return {"hop_…": api_tokens.make(User.objects.get(username="you@lab.example"))[1]}


def access_key() -> dict[str, str]:
    from annotation.flow.people import requesters
    from annotation.mturk_api.flow import access_keys

    made = requesters.requester("you@amt.example", create=True)
    key = access_keys.make(made.project, made.user)
    access_keys.endow(made, key, None)
    names = {
        "AWS_ACCESS_KEY_ID=…": key.key_id,
        "AWS_SECRET_ACCESS_KEY=…": key.secret,
        "MARKETPLACE_SECRET=…": key.secret,
    }
    quoted = {'aws_access_key_id="…"': key.key_id, 'aws_secret_access_key="…"': key.secret}
    stand = {name: name.replace("…", value) for name, value in {**names, **quoted}.items()}
    return {**stand, "AKIA…": key.key_id}


def scores_of_workers() -> None:
    """A qualification, another one, and a file with a score for each of three workers."""
    from annotation.flow.people import qualification_types
    from annotation.models import Project, User, Worker

    project = Project.objects.get(slug="default")
    lines = ["worker,value"]
    for number in range(3):
        worker = Worker.objects.create(project=project, user=User.objects.create(username=f"worker-{number}"))
        lines.append(f"{worker.public_id},{80 + number}")
    for name in ("Round 2", "Seen the pilot"):
        qualification_types.create_type(project, name, description="")
    Path("scores.csv").write_text("\n".join(lines) + "\n")


def predict(gold: str, predictions: str) -> None:
    """A model's predictions for a file of DiRe's: always right."""
    rows = json.loads(Path(gold).read_text())
    with Path(predictions).open("w") as out:
        for row in rows:
            facts = [list(fact) for fact in row["supporting_facts"]]
            more = {name: row[name] for name in ("sufficiency", "sub_idx") if name in row}
            said = {"question_id": row["_id"], "answer": row["answer"], "answer_confidence": 1.0, **more}
            titles = sorted({title for title, _sentence in facts})
            out.write(json.dumps({**said, "supporting_paragraphs": titles, "supporting_sentences": facts}) + "\n")


def predict_squad() -> None:
    """A model's answers to the questions of squad-7."""
    from annotation.models import Item

    items = Item.objects.filter(dataset__slug="squad-7")
    Path("predictions-7.json").write_text(json.dumps({item.source_id: item.example.answers[0] for item in items}))


def predict_subqa() -> None:
    """Predictions for the three arrays of SubQA: always right."""
    Path("predictions").mkdir()
    for file in Path("subqa").iterdir():
        answers = {record["_id"]: record["answer"] for record in json.loads(file.read_text())}
        (Path("predictions") / file.name).write_text(json.dumps(answers))


def predict_subqa_twice() -> None:
    for model in ("dfgn", "cogqa"):
        shutil.copytree("predictions", model)


def predict_two_probes() -> None:
    for dataset in ("hotpot", "musique"):
        shutil.copyfile("probe.json", f"{dataset}-probe.json")
        shutil.copyfile("probe.jsonl", f"{dataset}-probe.jsonl")


def probes_and_predictions() -> None:
    from django.core.management import call_command

    call_command("derive_dataset", "hotpot", "--how", "dire-probe", "--name", "probe")
    call_command("export_dataset", "probe", "--format", "dire", "--out", "probe.json")
    call_command("export_dataset", "hotpot", "--format", "hotpotqa", "--out", "hotpot.json")
    predict("probe.json", "probe.jsonl")
    predict("hotpot.json", "original.jsonl")


STEPS: dict[str, Callable[..., Any]] = {
    PEOPLE: people_answer,
    "approve everything": approve_everything,
    "a token": token,
    KEYS: access_key,
    "scores of workers": scores_of_workers,
    "probes and predictions": probes_and_predictions,
    "predict squad-7": predict_squad,
    "predict subqa": predict_subqa,
    "predict subqa twice": predict_subqa_twice,
    "predict two probes": predict_two_probes,
    "gold is in doubt, and corrected": gold_is_corrected,
    "a second factor": second_factor,
    "an archive, and an empty installation": move_away,
    "predict transformed.json predictions.jsonl": lambda: predict("transformed.json", "predictions.jsonl"),
}


def on_and_on(step: Callable[[], object]) -> None:
    """Take the step again and again until somebody ends this process, or the one that began it is gone."""
    parent = os.getppid()
    while os.getppid() == parent:
        step()
        time.sleep(0.2)  # people come one after the other


def make_ready(guide: str) -> dict[str, str]:
    """What stands for words of the guide's examples, once all that it takes for granted is there."""
    from django.core.management import call_command

    stands_for: dict[str, str] = {}
    for line in GIVEN[guide]:
        finish_consent_texts()
        if line in STEPS:
            made = STEPS[line]()
            stands_for |= made if isinstance(made, dict) else {}
        else:
            call_command(*shlex.split(line))
    finish_consent_texts()
    return stands_for


def finish_consent_texts() -> None:
    """Nothing can be launched before; only README and tutorial say so in their commands."""
    from annotation.flow.people import consent
    from annotation.flow.projects import projects
    from annotation.models import Project

    projects.project_named("default")
    for project in Project.objects.all():
        consent.fill_in(project, contact="ada@example.org", ethics="board 7")


def main(arguments: list[str]) -> None:
    import django

    django.setup()
    os.chdir(arguments.pop(0))
    going_on = "--on-and-on" in arguments
    name = " ".join(argument for argument in arguments if argument != "--on-and-on")
    if name in GIVEN:
        print(json.dumps(make_ready(name)))
    elif going_on:
        on_and_on(STEPS[name])
    else:
        STEPS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
