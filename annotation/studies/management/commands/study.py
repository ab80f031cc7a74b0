"""Studies of papers: list them, show one, launch one, and print its figures beside the paper's."""

import argparse
from pathlib import Path
from typing import Any

from annotation.flow.errors import Refused
from annotation.management.json_command import JSONCommand, existing, project_of, words
from annotation.management.setting_options import add_options, given_settings
from annotation.models import Project
from annotation.pure.reports import tables
from annotation.studies import folders, plans, report
from annotation.studies.launch import STUDY_SETTINGS, begin, launch
from annotation.studies.models import StudyRun


class Command(JSONCommand):
    help = "Studies of papers: list, show NAME, launch NAME, report RUN."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("act", choices=["list", "show", "launch", "report"], metavar="list|show|launch|report")
        add("name", nargs="?", default="", type=words(100), help="the study; for report its run")
        add_options(parser, STUDY_SETTINGS.values(), run="the next free one", scale="1")
        add("--data", action="append", type=pair, default=[], metavar="NAME=FILE", help="a file of the study's data")
        add("--from", dest="responses", action="append", type=pair, default=[], metavar="BATCH=FILE",
            help="report: import responses collected elsewhere first")  # fmt: skip
        add("--wage", type=float, default=plans.WAGE, help="show: dollars an hour for the cost (default: 12)")

    def act(self, **options: Any) -> dict[str, Any]:
        if options["act"] == "list":
            return {name: _title(name) for name in folders.names()}
        if not options["name"]:
            self.usage(f"study {options['act']} needs a name; `manage.py study list` lists them")
        if options["act"] == "show":
            return self.show(options["name"], scale=options["scale"] or 1.0, wage=options["wage"])
        act = self.launch if options["act"] == "launch" else self.report
        return act(project_of(options), options)

    def show(self, name: str, *, scale: float, wage: float) -> dict[str, Any]:
        folder = folders.read(name)
        found = folder.definition
        plan = plans.as_json(plans.of_study(found, scale=scale), wage)
        needs = {data.name: f"{data.file} ({data.where})" for data in found.data}
        return {
            "title": found.title,
            "paper": found.paper,
            "about": found.about,
            **needs,
            **({"our own protocol": found.own_batches} if found.own_batches else {}),
            "plan": plan,
            "read me": folder.readme,
        }

    def launch(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        folder, files = folders.read(options["name"]), dict(options["data"])
        run = begin(project, folder, given_settings(options, STUDY_SETTINGS.values()), files=files)
        return launch(run, folder, files=files, say=self.stderr.write)

    def report(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        run = StudyRun.objects.filter(project=project, slug=options["name"]).first()
        if run is None:
            known = ", ".join(StudyRun.objects.filter(project=project).values_list("slug", flat=True)) or "none"
            raise Refused(f"No study {options['name']} was launched in project {project.slug}. There are: {known}.")
        report.take_responses(run, dict(options["responses"]))
        figures = report.compute(run, look=True)
        return {"run": run.slug, "study": run.study, "figures": figures} | (
            {"analysis": run.analysis} if run.analysis else {}
        )

    def lines(self, result: dict[str, Any]) -> list[str]:
        if "plan" in result:
            plan = {"plan": "; ".join(plans.lines(result["plan"]))}
            return super().lines(result | plan)
        if "figures" not in result:
            return super().lines(result)
        tables_ = result.get("analysis", {}).get("tables", [])
        told = [line for each in tables_ for line in ["", *tables.lines(each), tables.note_of(each)]]
        return [*report.lines(result["figures"]), *report.notes(result["figures"]), *told]


def _title(name: str) -> str:
    """The study's title; of a broken one, what is wrong."""
    try:
        return folders.read(name).definition.title
    except Refused as broken:
        return f"! {broken}"


def pair(text: str) -> tuple[str, Path]:
    """Parse NAME=FILE."""
    name, equals, path = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text[:60]!r}: write NAME=FILE")
    return name, existing(path)
