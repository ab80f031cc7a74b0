"""`--how singlehop`: single-hop questions from SQuAD, MuSiQue's decompositions and our JSONL and CSV formats.

A hop keeps its id and is included once, however many records share it; other questions are numbered from 1, skipping
the ids kept. `source` is that of its record, or else the name of the dataset that was first imported. The tally
counts single-hop questions, not records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from annotation.derivations.base import (
    SINGLE_HOPS,
    CannotDerive,
    Derivation,
    DerivationGroup,
    Derived,
    Source,
    Tally,
    json_lines,
    needs_parts,
)
from annotation.derivations.contexts import check_limits
from annotation.pure.data.example import Example
from annotation.pure.derivations.single_hop import ORIGIN, Rules, Single, answered_by, as_single_hop, number, parts
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop


@dataclass(frozen=True)
class SingleHopOptions:
    fewest_words: int = setting(20, label=gettext_noop("Minimum words per paragraph"), least=0, most=1_000_000)
    most_words: int = setting(
        300,
        label=gettext_noop("Maximum words per paragraph"),
        help=gettext_noop("0 means no limit."),
        least=0,
        most=1_000_000,
    )
    answer_in_paragraph: bool = setting(
        True, label=gettext_noop("Keep only questions whose paragraph contains the answer")
    )
    predictions: str = setting(
        "",
        label=gettext_noop("Model answers (optional)"),
        help=gettext_noop(
            'A JSONL file with {"id", "predicted_answer"} on each line, with any number of lines per '
            "question. A question is kept if at least one model's answer shares a word with the correct "
            "answer."
        ),
        kind="upload",
    )

    def __post_init__(self) -> None:
        check_limits("most_words", self.fewest_words, self.most_words)


class SingleHop(Derivation):
    how: str = "singlehop"
    title: str = gettext_noop("Single-hop questions")
    does: str = gettext_noop(
        "Splits decompositions into single-hop questions with one paragraph each, and keeps the usable ones. Of "
        "questions without a decomposition it keeps those with one supporting paragraph, and that paragraph."
    )
    suffix: str = "single"
    Options: type = SingleHopOptions
    group: DerivationGroup = SINGLE_HOPS
    follows: tuple[str, ...] = ("",)
    rank: int = 1

    source_problem = staticmethod(needs_parts)

    def related(self, example: Example) -> Iterator[tuple[str, str]]:
        """A question is part of the record that it was taken from, the first of those that have it."""
        yield "", example.group

    def derive(self, source: Source, options: SingleHopOptions, *, seed: int, tally: Tally) -> Derived:
        """Single-hop Examples in the order of the source. Raises CannotDerive."""
        rules = Rules(options.fewest_words, options.most_words, options.answer_in_paragraph)
        predicted = _predictions(options.predictions)
        kept_ids = _KeptIds.of(source.examples())
        numbers = (str(k) for k in count(1) if str(k) not in kept_ids.taken)
        for origin, single in _admitted(source.examples(), kept_ids, tally):
            if reason := rules.fault(single) or _refuted(single, origin, predicted):
                tally.drop(reason)
                continue
            tally.kept += 1
            named = single if single.id in kept_ids.taken else replace(single, id=next(numbers))
            yield "", replace(named, source=named.source or source.origin).as_example(origin=origin)


@dataclass
class _KeptIds:
    """The ids that stay as they are, and the aliases that any record gives to a hop."""

    taken: set[str] = field(default_factory=set)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, examples: Iterable[Example]) -> _KeptIds:
        kept = cls()
        for example in examples:
            for candidate in _candidates(example):
                if isinstance(candidate, Single) and _keeps_its_id(example, candidate):
                    kept.taken.add(candidate.id)
                    if len(candidate.answers) > 1:
                        kept.aliases.setdefault(candidate.id, candidate.answers)
        return kept


def _candidates(example: Example) -> Iterable[Single | str]:
    return parts(example) if example.hops else (as_single_hop(example),)


def _keeps_its_id(example: Example, single: Single) -> bool:
    numbered_before = bool(example.hops) or ORIGIN in example.extra
    return numbered_before and number(single.id) is not None


def _admitted(examples: Iterable[Example], kept_ids: _KeptIds, tally: Tally) -> Iterator[tuple[str, Single]]:
    """(id of the record, single-hop question), each kept id once."""
    seen: dict[str, str] = {}
    for example in examples:
        for candidate in _candidates(example):
            tally.read += 1
            if isinstance(candidate, str):
                tally.drop(candidate)
            elif not _keeps_its_id(example, candidate):
                # A text as an id would be taken for a kept one only by accident.
                yield example.id, replace(candidate, id="")
            elif candidate.id in seen:
                same = seen[candidate.id] == candidate.question
                tally.drop("the hop came before" if same else "the hop came before, in other words")
            else:
                seen[candidate.id] = candidate.question
                yield str(example.extra.get(ORIGIN, example.id)), _with_aliases(candidate, kept_ids)


def _with_aliases(single: Single, kept_ids: _KeptIds) -> Single:
    answers = kept_ids.aliases.get(single.id, single.answers)
    return replace(single, answers=answers) if answers[0] == single.answer else single


def _refuted(single: Single, origin: str, predicted: dict[str, list[str]] | None) -> str:
    """The reason why predictions speak against the question, or ""; its own id's take precedence over its record's."""
    if predicted is None:
        return ""
    answers = predicted.get(single.id) if single.id else predicted.get(origin)
    if answers is None:
        return "there is no prediction for it"
    return "" if answered_by(answers, single) else "no prediction shares a word with the answer"


def _predictions(path: str) -> dict[str, list[str]] | None:
    """The predicted answers by id; None without a file. Raises CannotDerive."""
    if not path:
        return None
    answers: dict[str, list[str]] = {}
    right = '{"id": ..., "predicted_answer": "..."}'
    for place, record in json_lines(path, what="the predictions", form=right):
        if not isinstance(record, dict) or not isinstance(record.get("predicted_answer"), str):
            wrong = "predicted_answer is missing or no text"
        elif type(record.get("id")) not in (str, int):
            wrong = "id is missing or neither a text nor a whole number"
        else:
            answers.setdefault(str(record["id"]), []).append(record["predicted_answer"])
            continue
        raise CannotDerive(f"{place}: {wrong}. Give {right} on each line")
    return answers


DERIVATION = SingleHop()
