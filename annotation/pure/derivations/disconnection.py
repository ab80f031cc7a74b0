"""MuSiQue's disconnection filter: single-hop questions that models answer without the connection.

Trivedi et al. 2022, section 5, S3. For an edge j → i of a decomposition, hop j is the head and hop i the tail.
A model answers heads without any context, and tails with the mention of the head's answer masked, among
distractors; single-hop questions that it still answers well are not composed.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from annotation.pure.data.dag import edges
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.context_building import NoContext, distractors, supporting
from annotation.pure.statistics.metrics import MUSIQUE
from annotation.pure.text.bm25 import Pool, same_text
from annotation.pure.text.masking import MASK, resolved
from annotation.pure.text.normalization import normalise_answer

HEAD, TAIL = "head", "tail"
FOLDS = 5
SIZE = 10  # paragraphs of a tail: its own and nine distractors
FOLD, MASKED = "fold", "masked"  # in the `extra` of an item


@dataclass(frozen=True, slots=True)
class Item:
    """A head (nothing masked) or a tail (the head's answer masked); `ties` must not be shared between folds."""

    id: str
    kind: str
    question: str
    answer: str
    masked: str  # the mention that is hidden; "" of a head
    whole: str  # the question without a mask
    paragraph: Paragraph

    @property
    def ties(self) -> tuple[str, str]:
        """Keys that must not be in two folds: the single-hop question and its paragraph."""
        return f"question:{self.whole.casefold()}", f"paragraph:{same_text(self.paragraph)}"


@dataclass(frozen=True, slots=True)
class Prediction:
    answer: str
    support: frozenset[int]  # positions in the item's context


@dataclass(frozen=True)
class Limits:
    """The paper's thresholds, each for a mean over the predictions."""

    head_answer: float = 0.5  # keep a head below this answer F1
    tail_answer: float = 0.25  # keep a tail up to this answer F1
    tail_answer_unsupported: float = 0.75  # ... or up to this one,
    tail_support: float = 1.0  # if the support F1 is below this


def edge_items(example: Example, *, mask: str = MASK) -> Iterator[tuple[Item, Item]]:
    """(head, tail) of each edge of an example's decomposition.

    Ids depend on the kind, question, mask, answer and paragraph only, so equal items of two datasets share an id.
    Raises NoContext if there is no edge or a hop's paragraph is not in the context.
    """
    supporting(example)
    pairs = edges(example.hops)
    if not pairs:
        raise NoContext("no hop uses the answer of another")
    for j, i in pairs:
        yield _item(example, j, 0, mask=mask), _item(example, i, j, mask=mask)


def _item(example: Example, hop: int, masked: int, *, mask: str) -> Item:
    """Hop `hop` (1-based) as an item; `masked` is the hop whose answer is hidden, 0 for none."""
    hop_row = example.hops[hop - 1]
    whole = " ".join(resolved(hop_row.question, example.hops).split())
    question = " ".join(resolved(hop_row.question, example.hops, masked=masked, mask=mask).split())
    mention = example.hops[masked - 1].answer if masked else ""
    paragraph = example.paragraphs[hop_row.support or 0]
    kind = TAIL if masked else HEAD
    text = " ".join(resolved(hop_row.question, example.hops, masked=masked).split())
    parts = (kind, text, normalise_answer(mention) or mention, hop_row.answer, paragraph.title, same_text(paragraph))
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=10).hexdigest()
    return Item(f"{kind}-{digest}", kind, question, hop_row.answer, mention, whole, paragraph)


def folds(items: Sequence[Item], count: int = FOLDS, *, rng: Random) -> dict[str, int]:
    """A fold (0 to count - 1) for each item's id, heads and tails apart, of about the same size.

    So that no model is tested on its training data, items of one single-hop question (whatever is masked) or of
    one paragraph are always in one fold; items of one answer are too, unless a fold would exceed its share.
    """
    fold_of: dict[str, int] = {}
    for kind in (HEAD, TAIL):
        fold_of |= _folds([item for item in items if item.kind == kind], count, rng=rng)
    return fold_of


def _folds(items: Sequence[Item], count: int, *, rng: Random) -> dict[str, int]:
    clusters = _clusters(items, most=len(items) // count)
    rng.shuffle(clusters)
    clusters.sort(key=len, reverse=True)
    sizes = [(0, fold) for fold in range(count)]
    fold_of: dict[str, int] = {}
    for cluster in clusters:
        size, fold = heapq.heappop(sizes)
        heapq.heappush(sizes, (size + len(cluster), fold))
        fold_of |= dict.fromkeys((items[at].id for at in cluster), fold)
    return fold_of


def _clusters(items: Sequence[Item], *, most: int) -> list[list[int]]:
    """Positions of items that belong together; rare answers join first, while a cluster has at most `most`."""
    clusters = [[at] for at in range(len(items))]
    home = list(range(len(items)))

    def join(one: int, other: int) -> None:
        big, small = sorted((home[one], home[other]), key=lambda each: (-len(clusters[each]), each))
        if big != small:
            for at in clusters[small]:
                home[at] = big
            clusters[big] += clusters[small]
            clusters[small] = []

    for group in _sharing(items, [item.ties for item in items]):
        for at in group[1:]:
            join(group[0], at)
    answers = _sharing(items, [(normalise_answer(item.answer),) for item in items])
    for group in sorted(answers, key=len):
        if sum(len(clusters[cluster]) for cluster in {home[at] for at in group}) <= most:
            for at in group[1:]:
                join(group[0], at)
    return [cluster for cluster in clusters if cluster]


def _sharing(items: Sequence[Item], ties: Sequence[Collection[str]]) -> list[list[int]]:
    """Positions of the items grouped by shared tie, in order of first appearance."""
    by_tie: dict[str, list[int]] = {}
    for at in range(len(items)):
        for tie in ties[at]:
            by_tie.setdefault(tie, []).append(at)
    return list(by_tie.values())


def shared_answers(items: Iterable[Item], fold_of: Mapping[str, int]) -> Counter[str]:
    """The number of items of each kind whose answer is also that of an item in another fold."""
    listed = list(items)
    seen: dict[tuple[str, str], set[int]] = {}
    for item in listed:
        seen.setdefault((item.kind, normalise_answer(item.answer)), set()).add(fold_of[item.id])
    return Counter(item.kind for item in listed if len(seen[item.kind, normalise_answer(item.answer)]) > 1)


def as_example(item: Item, pool: Pool, *, fold: int, size: int = SIZE, mask: str = MASK) -> Example:
    """The item as a model's input: a head without context, a tail among retrieved distractors.

    The query is the question without the mask. The order of the context, and its filler if too few paragraphs
    share a word with the query, depend on the id alone.
    """
    paragraphs: list[Paragraph] = []
    if item.kind == TAIL:
        rng = Random(item.id)
        query = item.question.replace(mask, " ")
        used = {same_text(item.paragraph)}
        paragraphs = [item.paragraph, *distractors(query, pool, count=size - 1, used=used, rng=rng)]
        rng.shuffle(paragraphs)
    return Example(
        id=item.id,
        question=item.question,
        paragraphs=tuple(paragraphs),
        answers=(item.answer,),
        supports=(paragraphs.index(item.paragraph),) if paragraphs else (),
        group=item.id,
        shape=item.kind,
        extra={FOLD: fold, MASKED: item.masked} if item.kind == TAIL else {FOLD: fold},
    )


def keeps(item: Example, predictions: Sequence[Prediction], limits: Limits) -> bool:
    """Whether an item is kept because models score low on it. ValueError without a prediction."""
    if not predictions:
        raise ValueError(f"there is no prediction for {item.id}")
    answer = _mean([MUSIQUE.answer(each.answer, item.answers).f1 for each in predictions])
    if item.shape == HEAD:
        return answer < limits.head_answer
    support = _mean([MUSIQUE.support(each.support, item.supports or ()).f1 for each in predictions])
    unsupported = answer <= limits.tail_answer_unsupported and support < limits.tail_support
    return answer <= limits.tail_answer or unsupported


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)
