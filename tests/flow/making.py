"""A dataset made here from its first question on: invented towns, pairs, graphs, compositions, twins, splits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.review.response_import import import_responses
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.models import Batch, Dataset, Project
from tests.batches import create_batch
from tests.derivations.sources import places
from tests.flow.review.test_response_import import lines

MILD = {"hop_missing": "off", "repeats_hop": "off", "too_long": "off", "sentences": "off"}
FREE = {"hop_tokens": 0, "two_hop_tokens": 0, "three_hop_tokens": 0, "four_hop_tokens": 0}
CHAINS = (2, 3, 4) * 5 + (6, 6)  # questions each


def singles(*, ids: str = "s{}") -> list[dict[str, Any]]:
    """Questions in chains: the answer of one is named in the next; each has a paragraph of its own."""
    names = [name for name in places() if " " in name]
    found = []
    for length in CHAINS:
        towns, names = names[: length + 1], names[length + 1 :]
        for k in range(length):
            text = f"{towns[k + 1]} is the town that {towns[k]} has been twinned with since its fair of year {k}."
            found.append(
                {
                    "id": ids.format(len(found) + 1),
                    "question": f"Which town is twinned with {towns[k]}?",
                    "paragraphs": [{"title": towns[k + 1], "text": text}],
                    "answers": [towns[k + 1], f"{towns[k + 1]} Town"],
                    "supports": [0],
                }
            )
    return found


def derived(source: str, how: str, name: str, **options: Any) -> Dataset:
    derive_dataset(Dataset.objects.get(slug=source), how=how, name=name, seed=4, options=options)
    return Dataset.objects.whole().get(slug=name)


def composed(project: Project, graphs: Dataset, folder: Path) -> Batch:
    """Everybody of two writes a question for every graph; the first one's is as good as the second's."""
    batch = create_batch(
        project,
        "writing",
        task="compose",
        datasets=[graphs],
        instructions="Compose.",
        options=MILD,
        assignments_per_hit=1,
    )
    batch_launch.launch(batch)
    rows = [
        {
            "dataset": graphs.slug,
            "item": place,
            "worker": f"w{place % 2}",
            "answer": {"question": f"Where does road number {place} lead in the end?"},
        }
        for place in range(graphs.size)
    ]
    import_responses(batch, lines(folder / "written.jsonl", rows))
    return batch


def everything(project: Project, folder: Path) -> dict[str, Dataset]:
    """The datasets on the way from single-hop questions to splits, by name."""
    import_dataset(project, lines(folder / "singles.jsonl", singles()), format="jsonl", name="singles")
    derived("singles", "composable-pairs", "pairs")
    graphs = derived("pairs", "graphs", "graphs", count=30, mix="2hop=1,3hop1=1,4hop1=1", **FREE)
    create_results_dataset(composed(project, graphs, folder), name="questions")
    derived("questions", "contexts", "wide", pool="singles")
    derived("wide", "unanswerable-twins", "full", pool="singles")
    derive_dataset(
        Dataset.objects.get(slug="full"),
        how="splits",
        name="ours",
        seed=4,
        options={"train": 0.6, "dev": 0.2, "test": 0.2},
    )
    return {dataset.slug: dataset for dataset in Dataset.objects.whole()}
