"""The example dataset of a new project: the demo's invented questions, with their paragraphs and decompositions."""

from __future__ import annotations

import tempfile
from pathlib import Path

from annotation.demo import world
from annotation.flow.data.dataset_import import import_dataset
from annotation.formats import FORMATS
from annotation.models import Dataset, Project, User

NAME = "example"


def example_dataset(project: Project, user: User | None) -> Dataset:
    """The project's example dataset, imported if it is not there. Raises Refused for a name that is taken."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{NAME}.jsonl"
        with file.open("wb") as out:
            FORMATS["jsonl"].write(world.examples(seed=0), out)
        import_dataset(project, file, format="jsonl", name=NAME, licence="Apache-2.0", file_name=file.name, user=user)
    return project.datasets.get(slug=NAME)
