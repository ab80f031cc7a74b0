"""Ablations 6 to 8: the words of a passage, those of each sentence, or its sentences in another order.

Words move in segments as long as the gold span, cut so that the span is one of them: wherever it goes, it stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from annotation.pure.derivations.ablation_text import Made, Passage, Piece, Sentence, Token, assembled, with_words

Gold = tuple[int, int] | None  # (start, end) of the gold span in the passage, grown to whole tokens


def segments(tokens: Sequence[Token], gold: Gold, length: int) -> list[list[Token]]:
    """The tokens in segments of `length`; the gold's tokens are one segment, shorter ones end at the edges."""
    inside = [k for k, token in enumerate(tokens) if gold and gold[0] <= token.start < gold[1]]
    first, last = (inside[0], inside[-1] + 1) if inside else (0, 0)
    before = [tokens[max(0, end - length) : end] for end in range(first, 0, -length)][::-1]
    behind = [tokens[start : start + length] for start in range(last, len(tokens), length)]
    middle = [tokens[first:last]] if inside else []
    return [list(segment) for segment in (*before, *middle, *behind)]


def shuffled_words(source: Passage, gold: Gold, length: int, rng: Random) -> Made:
    """Ablation 6. The passage has no sentences any more."""
    moved = segments(source.tokens, gold, length)
    rng.shuffle(moved)
    whole = Sentence(0, len(source.text), tuple(source.tokens))
    one = Passage(source.text, (whole,), source.title)
    return assembled(one, [_row(source, moved)], title=source.title)


def shuffled_in_sentences(source: Passage, gold: Gold, length: int, rng: Random) -> Made:
    """Ablation 7. The last token of a sentence stays; so does the gold where it ends a sentence."""
    source = _with_gold_in_one_sentence(source, gold)
    rows = []
    for sentence in source.sentences:
        if not sentence.tokens:
            rows.append(with_words(source, sentence, {}))
            continue
        last = len(sentence.tokens) - 1
        if gold and gold[0] <= sentence.tokens[-1].start < gold[1]:
            last = next(k for k, token in enumerate(sentence.tokens) if token.start >= gold[0])
        moved = segments(sentence.tokens[:last], gold, length)
        rng.shuffle(moved)
        rows.append(_row(source, [*moved, list(sentence.tokens[last:])]))
    return assembled(source, rows, title=source.title)


def shuffled_sentences(source: Passage, gold: Gold, rng: Random) -> tuple[Made, list[int]]:
    """Ablation 8: the passage and, for each new sentence, which one it was. The gold's sentences stay together."""
    source = _with_gold_in_one_sentence(source, gold)
    order = list(range(len(source.sentences)))
    rng.shuffle(order)
    rows = [with_words(source, source.sentences[k], {}) for k in order]
    return assembled(source, rows, title=source.title, apart=True), order


def _row(source: Passage, moved: Sequence[Sequence[Token]]) -> list[Piece]:
    """Segments with a space between them; what stands within a segment stands there still."""
    pieces: list[Piece] = []
    for segment in moved:
        if not segment:
            continue
        if pieces:
            pieces.append(Piece(" "))
        at = segment[0].start
        for token in segment:
            if token.start > at:
                pieces.append(Piece(source.text[at : token.start]))
            pieces.append(Piece(token.text, token.start))
            at = token.end
    return pieces


def _with_gold_in_one_sentence(source: Passage, gold: Gold) -> Passage:
    """The passage with the sentences joined over which the gold span runs, where the source drew no boundaries."""
    if gold is None or source.drawn:
        return source
    joined: list[Sentence] = []
    for sentence in source.sentences:
        if joined and gold[0] < joined[-1].end and sentence.start < gold[1]:
            before = joined.pop()
            sentence = Sentence(before.start, sentence.end, (*before.tokens, *sentence.tokens))
        joined.append(sentence)
    return Passage(source.text, tuple(joined), source.title)
