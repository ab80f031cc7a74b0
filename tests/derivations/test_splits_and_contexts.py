"""Splits first, then contexts, as in MuSiQue's pipeline; and what the reports say in either order."""

from __future__ import annotations

import pytest

from annotation.derivations.base import CannotDerive
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.context_building import distracting
from annotation.pure.text.bm25 import same_text
from tests.derivations.sources import Listed, derived, graphs, made

SHARES = {"train": 0.6, "dev": 0.2, "test": 0.2}
STATING, FOREIGN = "that state the final answer", "that support a question of another split"


def splits_of(examples: list[Example]) -> dict[str, list[Example]]:
    by_output: dict[str, list[Example]] = {"-train": [], "-dev": [], "-test": []}
    for output, example in derived("splits", Listed(examples), seed=5, **SHARES)[0]:
        by_output[output].append(example)
    return by_output


def split(examples: list[Example], output: str) -> Listed:
    """A split that knows the others, and all questions as a pool."""
    parts = splits_of(examples)
    source = Listed(parts[output], name=f"mine{output}", others={"all": examples})
    source.beside = [Listed(part, name=f"mine{name}") for name, part in parts.items() if name != output]
    return source


def supports(examples: list[Example]) -> set[str]:
    return {same_text(example.paragraphs[at]) for example in examples for at in example.supports or ()}


def distractors(examples: list[Example]) -> list[list[str]]:
    return [[same_text(paragraph) for paragraph in distracting(example)] for example in examples]


@pytest.mark.parametrize("output", ["-train", "-dev", "-test"])
@pytest.mark.parametrize("pool", ["all", "one split after the other"])
def test_no_distractor_supports_a_question_of_another_split(output: str, pool: str) -> None:
    source = split(graphs(60, seed=2), output)
    found, tally = derived("contexts", source, pool="all" if pool == "all" else "", paragraphs=6)
    others = supports([example for beside in source.beside for example in beside.examples()])
    own = [example for _, example in found]
    assert len(own) == source.size > 5
    assert any(distractors(own))
    assert not others & {text for texts in distractors(own) for text in texts}
    assert tally.figures["other splits"] == {
        "datasets": [beside.name for beside in source.beside],
        "paragraphs": len(others),
    }
    assert tally.figures["distractors"][FOREIGN] == {"distractors": 0, "contexts": 0}


def test_they_are_taken_where_that_is_wished_and_counted() -> None:
    source = split(graphs(60, seed=2), "-train")
    found, tally = derived("contexts", source, pool="all", paragraphs=12, other_splits=True)
    others = supports([example for beside in source.beside for example in beside.examples()])
    counted = [len(others.intersection(texts)) for texts in distractors([example for _, example in found])]
    assert sum(counted) > 0
    assert tally.figures["distractors"][FOREIGN] == {"distractors": sum(counted), "contexts": sum(map(bool, counted))}


def test_twins_leave_them_out_as_well() -> None:
    source = split(graphs(60, seed=2), "-dev")
    wide = Listed(made("contexts", source, pool="all", paragraphs=6), others={"all": graphs(60, seed=2)})
    wide.beside = source.beside
    others = supports([example for beside in source.beside for example in beside.examples()])
    for wished in (False, True):
        twins = made("unanswerable-twins", wide, pool="all", other_splits=wished)
        assert twins
        assert bool(others & {text for texts in distractors(twins) for text in texts}) is wished


def test_where_only_other_splits_have_paragraphs_the_way_out_is_named() -> None:
    source = split(graphs(60, seed=2), "-dev")
    lonely = Listed(list(source.examples()), others={"train": list(source.beside[0].examples())})
    lonely.beside = source.beside
    with pytest.raises(CannotDerive, match="other_splits=true"):
        derived("contexts", lonely, pool="train")


def test_splits_of_questions_that_have_contexts_say_what_train_holds_of_the_others() -> None:
    """In this order the promise is about supporting paragraphs only, and the report counts the distractors."""
    wide = made("contexts", Listed(graphs(60, seed=2)), paragraphs=12)
    found, tally = derived("splits", Listed(wide), seed=5, **SHARES)
    train = [example for output, example in found if output == "-train"]
    others = supports([example for output, example in found if output != "-train"])
    counted = [others.intersection(texts) for texts in distractors(train)]
    assert tally.figures["supporting paragraphs of dev and test"] == {
        "different ones": len(others),
        "distractors in train": len(set().union(*counted)),
        "contexts of train with such a distractor": sum(map(bool, counted)),
    }
    assert len(set().union(*counted)) > 0
    assert tally.figures["overlap of dev and test with train"]["supporting paragraphs"] == 0
    bare = derived("splits", Listed(graphs(60, seed=2)), seed=5, **SHARES)[1]
    assert bare.figures["supporting paragraphs of dev and test"]["distractors in train"] == 0


def test_distractors_that_state_the_final_answer_are_counted() -> None:
    hops = (Hop("Which isle?", "Farrow", 0), Hop("Who owns #1 ?", "Quill", 1))
    own = (Paragraph("F", "Farrow lies there."), Paragraph("Q", "Quill owns it."))
    asked = Example("1", "?", own, answers=("Quill", "Ada Quill"), supports=(0, 1), hops=hops)
    texts = ["An isle that QUILL left.", "Quilly owns an isle.", "It owns nothing.", "The isle, by Ada  Quill."]
    pool = [Example(str(k), "?", (Paragraph(f"P{k}", text),)) for k, text in enumerate(texts)]
    pool.append(Example("t", "?", (Paragraph("Quill", "It owns the isle, too."),)))
    _, tally = derived("contexts", Listed([asked], others={"pool": pool}), pool="pool", paragraphs=7)
    assert tally.figures["distractors"][STATING] == {"distractors": 3, "contexts": 1}
