"""The sentence in which the answer stands, with its blanks, and the context in which the answer is hidden."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.ablation import ABLATION, ORIGINAL, SHUFFLES
from annotation.pure.derivations.ablation_text import UNKNOWN, Aligned, aligned, parts_of_contractions, passage
from annotation.pure.text.spans import locate, mentions
from annotation.pure.text.tagging import is_sign
from annotation.tasktype import JSON
from annotation.tasktype.helpers.ablation_cells import number_of

BLANKS = 5
Stretch = tuple[int, int]  # (start, end) in an ablated text
Piece = dict[str, Any]  # {"text"}, {"answer": True} or {"blank": number from 0, "instead": what stands for the word}


@dataclass(frozen=True, slots=True)
class Site:
    """The paragraph of the answer: its tokens, those of the answer, and those of the sentence around it."""

    paragraph: int
    tokens: Sequence[Aligned]
    answer: Sequence[Aligned]
    sentence: Sequence[Aligned]


def original_texts(example: Example) -> list[str] | None:
    """The paragraphs as they were before the ablation; None if the item does not keep them."""
    original = example.extra.get(ORIGINAL)
    texts = original.get("paragraphs") if isinstance(original, Mapping) else None
    if not isinstance(texts, list) or len(texts) != len(example.paragraphs):
        return None
    return texts if all(isinstance(text, str) for text in texts) else None


def cloze_of(example: Example, rng: Random) -> JSON | None:
    """The paragraphs and the sentence in pieces, and the blanks as positions of tokens in the original paragraph.

    None without a sentence that holds the answer and has lost at least `BLANKS` words.
    """
    site = _site_of(example)
    if site is None:
        return None
    answer = _extent(site.answer)
    hidden = [_hidden(p.text, example.answers) for p in example.paragraphs]
    hidden[site.paragraph] = _merged([*hidden[site.paragraph], answer])
    lost = _lost_words(site, hidden[site.paragraph])
    if len(lost) < BLANKS:
        return None
    blanks = sorted(rng.sample(lost, BLANKS))
    return {
        "paragraphs": [
            _paragraph(p, hidden[k], example.answers, _extent(site.sentence) if k == site.paragraph else None)
            for k, p in enumerate(example.paragraphs)
        ],
        "sentence": _sentence(example.paragraphs[site.paragraph].text, site, hidden[site.paragraph], blanks),
        "paragraph": site.paragraph,
        "blanks": blanks,
    }


def _site_of(example: Example) -> Site | None:
    """The answer's span if the ablation noted it; else its first mention, in supporting paragraphs first."""
    number, texts = number_of(example.extra), original_texts(example)
    if not number or number in SHUFFLES or texts is None or not example.answers:
        return None
    noted = example.extra[ABLATION].get("gold")
    spans = (locate(answer, texts, first=example.supports or ()) for answer in _original_answers(example))
    place = None if isinstance(noted, Mapping) else next(filter(None, spans), None)
    at = noted["paragraph"] if isinstance(noted, Mapping) else place.paragraph if place else None
    if at is None or (tokens := aligned(texts[at], example.paragraphs[at].text, number)) is None:
        return None
    if place is None:
        answer = [one for one in tokens if one.start < noted["end"] and noted["start"] < one.end]
    else:
        answer = [one for one in tokens if one.token.start < place.end and place.start < one.token.end]
    return Site(at, tokens, answer, _around(answer, tokens, texts[at], example.paragraphs[at])) if answer else None


def _original_answers(example: Example) -> list[str]:
    """The answers as the original has them; ablation 4 renames options, and the right one with them."""
    options = example.extra[ORIGINAL].get("options") or ()
    named = dict(zip(example.options, options, strict=False))
    return [named.get(answer, answer) for answer in example.answers]


def _around(answer: Sequence[Aligned], tokens: Sequence[Aligned], text: str, ablated: Paragraph) -> list[Aligned]:
    """The tokens of the sentences that the answer touches: the source's sentences, or else detected ones."""
    first, last = answer[0], answer[-1]
    if ablated.sentences is not None:
        touched = [(a, b) for a, b in ablated.sentence_spans() if a < last.end and first.start < b]
        return [one for one in tokens if touched and touched[0][0] <= one.start and one.end <= touched[-1][1]]
    found = [s for s in passage(text).sentences if s.start < last.token.end and first.token.start < s.end]
    return [one for one in tokens if found and found[0].start <= one.token.start and one.token.end <= found[-1].end]


def _lost_words(site: Site, hidden: Sequence[Stretch]) -> list[int]:
    """Positions of the sentence's words that the ablation dropped or replaced, without parts of contractions."""
    contracted = parts_of_contractions([one.token for one in site.tokens])
    inside = {one.token.start for one in site.sentence}
    return [
        position
        for position, one in enumerate(site.tokens)
        if one.token.start in inside
        and not one.kept
        and not is_sign(one.token.text)
        and one.token.start not in contracted
        and not any(start < one.end and one.start < end for start, end in hidden)
    ]


def _extent(tokens: Sequence[Aligned]) -> Stretch:
    return tokens[0].start, tokens[-1].end


def _hidden(text: str, answers: Iterable[str]) -> list[Stretch]:
    """Every mention of an answer in an ablated text."""
    return _merged([place for answer in answers for place in mentions(answer, text)])


def _merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _paragraph(paragraph: Paragraph, hidden: Sequence[Stretch], answers: Iterable[str], here: Stretch | None) -> JSON:
    """Title and text in pieces; those of the sentence at `here` are marked."""
    title, text = paragraph.title, paragraph.text
    answer = [(start, end, {"answer": True}) for start, end in hidden]
    start, end = here or (len(text), len(text))
    own = [{**piece, "here": True} for piece in _cut(text, start, end, answer)]
    return {
        "title": list(_cut(title, 0, len(title), [(a, b, {"answer": True}) for a, b in _hidden(title, answers)])),
        "text": [*_cut(text, 0, start, answer), *own, *_cut(text, end, len(text), answer)],
    }


def _sentence(text: str, site: Site, hidden: Sequence[Stretch], blanks: Sequence[int]) -> list[Piece]:
    marked: list[tuple[int, int, Piece]] = [(start, end, {"answer": True}) for start, end in hidden]
    for number, position in enumerate(blanks):
        one = site.tokens[position]
        stands = text[one.start : one.end]
        marked.append((one.start, one.end, {"blank": number, "instead": "" if stands == UNKNOWN else stands}))
    return list(_cut(text, *_extent(site.sentence), sorted(marked, key=lambda each: each[:2])))


def _cut(text: str, start: int, end: int, marked: Iterable[tuple[int, int, Piece]]) -> Iterator[Piece]:
    """A stretch of a text in pieces, of which the marked ones stand for their text."""
    at = start
    for begins, ends, piece in marked:
        if ends <= start or end <= begins:
            continue
        if at < begins:
            yield {"text": text[at:begins]}
        yield piece
        at = ends
    if at < end:
        yield {"text": text[at:end]}
