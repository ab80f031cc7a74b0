"""Make batches the arms of an experiment, or show an experiment with the number of workers in each arm."""

from typing import Any

from django.conf import settings
from django.urls import reverse

from annotation.flow.batches import experiments
from annotation.flow.errors import Refused
from annotation.management.json_command import JSONCommand, batch_named, project_of, slug, words
from annotation.models import Experiment


class Command(JSONCommand):
    help = "Make batches the arms of an experiment, of which each worker draws one or an order; or show one."

    def add(self, parser: Any) -> None:
        parser.add_argument("experiment", type=slug)
        parser.add_argument("--arms", nargs="+", type=slug, metavar="BATCH", help="at least two batches to join")
        parser.add_argument("--each", choices=Experiment.Each.values, default=Experiment.Each.ONE)
        parser.add_argument("--title", type=words(200), default="", help="that workers see for every arm")

    def act(self, **options: Any) -> dict[str, Any]:
        project, name = project_of(options), options["experiment"]
        if options["arms"]:
            arms = [batch_named(project, each) for each in options["arms"]]
            found = experiments.join(project, name, arms, each=options["each"], title=options["title"])
        else:
            known = project.experiments.filter(slug=name).first()
            if known is None:
                raise Refused(f"There is no experiment {name}. Make one: --arms BATCH BATCH.")
            found = known
        link = f"{settings.PUBLIC_URL}{reverse('experiment-start', args=[found.token])}"
        return {"experiment": found.slug, "title": found.title, "each": found.each, "link": link} | {
            "arms": experiments.balance_json(found)
        }

    def lines(self, result: dict[str, Any]) -> list[str]:
        arms = [
            "{arm}, as no. {position}: {drawn} drew it, {began} began, {submitted} submitted".format(**row)
            for row in result["arms"]
        ]
        return super().lines(result | {"arms": len({row["arm"] for row in result["arms"]})}) + arms
