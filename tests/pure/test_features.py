"""What a dataset's page says that its items have."""

from __future__ import annotations

from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.data.features import FeatureCount


def test_every_feature_of_every_item_is_counted() -> None:
    sentences = ("Ana Brook dug it.", "It lies in Farrow.")
    paragraph = Paragraph("Well 3", " ".join(sentences), sentences)
    hops = (Hop("Who dug Well 3?", "Ana Brook"), Hop("Where is #1 from?", "Farrow"))
    count = FeatureCount()
    count.add(Example(id="1", question="Is it?", paragraphs=(paragraph,), answers=("yes",), supports=(0,), hops=hops))
    count.add(Example(id="2", question="Which?", paragraphs=(Paragraph("Mill", "It grinds."),), options=("A", "B")))
    count.add(Example(id="3", question="Who?", paragraphs=(), answerable=False))
    found = count.as_json()
    assert found["items"] == 3
    assert [found[name] for name in ("yes_no", "unanswerable", "options", "sentences", "supports")] == [1] * 5
    assert (found["hops"], found["paragraphs"], found["words"]) == ({"0": 2, "2": 1}, {"0": 1, "1": 2}, 3)
