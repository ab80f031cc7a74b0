"""The input ablations of Sugawara et al. 2020 (*Assessing the Benchmarking Capacity of MRC Datasets*).

Each removes features from a question or its context, to test whether the question needs them. A dropped token
becomes one [UNK], so the gold keeps its position although its words may be gone. Paragraphs and sentences keep their
positions unless they are shuffled. The same example and seed give the same ablation.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.derivations.ablation_text import (
    CAUSAL_WORDS,
    INTERROGATIVES,
    LOGICAL_WORDS,
    PRONOUN_TAGS,
    UNKNOWN,
    AblatedText,
    Gold,
    Names,
    Passage,
    Sentence,
    Token,
    assembled,
    is_function_word,
    of_paragraph,
    passage,
    reworded,
    shuffled_in_sentences,
    shuffled_sentences,
    shuffled_words,
    with_words,
)
from annotation.pure.text.spans import Span, locate
from annotation.pure.text.tagging import Tagger, hanta, is_sign
from annotation.pure.text.translation_marks import gettext_noop as _

ABLATIONS: Mapping[int, str] = {  # as the paper's Table 2 calls them, its abbreviations written out; 13, 14: Table 3
    1: _("Question interrogatives only"),
    2: _("Function words only"),
    3: _("Content words only"),
    4: _("Vocabulary anonymization"),
    5: _("Most similar sentences only"),
    6: _("Context words shuffled"),
    7: _("Sentence words shuffled"),
    8: _("Sentence order shuffled"),
    9: _("Dummy numerics"),
    10: _("Logical words dropped"),
    11: _("Pronoun words dropped"),
    12: _("Causal words dropped"),
    13: _("Drop all Q words"),
    14: _("Drop all C words"),
}
ABLATION = "ablation"  # in `extra`: {"number", "seed", "dropped", "gold": {"paragraph", "start", "end"} or null}
ORIGINAL = "@original"  # in `extra`, and in no file but our own: {"question", "paragraphs": [text, ...], "options"}
SHUFFLES = frozenset({6, 7, 8})
SEEDED = SHUFFLES | {9}
Words = dict[int, str]  # how tokens read instead, by their starts


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of tokens (with punctuation), sentences, and dropped or replaced tokens."""

    question: int
    context: int
    sentences: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Ablated:
    """An ablated example; `before` and `gold`: the answer's span before and after it; None without a span."""

    example: Example
    counts: Counts
    gold: Span | None = None
    before: Span | None = None


@dataclass
class _Work:
    """The state of one example during an ablation."""

    example: Example
    rng: Random
    tagger: Tagger
    question: Passage
    passages: list[Passage]
    gold: Span | None
    dropped: int = 0
    orders: dict[int, list[int]] = field(default_factory=dict)  # of shuffled sentences, by paragraph

    def grown(self, at: int) -> Gold:
        """The gold span in paragraph `at`, extended to whole tokens; None if it is elsewhere."""
        if self.gold is None or self.gold.paragraph != at:
            return None
        inside = _inside(self.passages[at].tokens, self.gold)
        return (inside[0].start, inside[-1].end) if inside else None

    @property
    def length(self) -> int:
        """Number of tokens of the gold span; 1 without a span, as for multiple choice."""
        return 1 if self.gold is None else max(1, len(_inside(self.passages[self.gold.paragraph].tokens, self.gold)))


def ablate(
    example: Example, number: int, *, seed: int = 0, tagger: Tagger = hanta, gold: Span | None = None
) -> Ablated:
    """One ablation of an example; `gold` is the answer's span, by default its first occurrence.

    Raises ValueError for an unknown number.
    """
    if number not in ABLATIONS:
        raise ValueError(f"there is no ablation {number}; there are 1 to {len(ABLATIONS)}")
    passages = [of_paragraph(p) for p in example.paragraphs]
    place = gold or gold_span(example)
    rng = Random(f"{seed}/{number}/{example.id}")
    work = _Work(example, rng, tagger, passage(example.question), passages, place)
    result = _HOW[number](work)
    counts = Counts(
        len(work.question.tokens),
        sum(len(p.tokens) for p in passages),
        sum(len(p.sentences) for p in passages),
        work.dropped,
    )
    return Ablated(result.example, counts, _moved(place, passages, result.context), place)


def gold_span(example: Example) -> Span | None:
    """The first place of the answer, in supporting paragraphs first; none for multiple choice."""
    if example.options or example.answerable is False:
        return None
    texts = [paragraph.text for paragraph in example.paragraphs]
    spans = (locate(answer, texts, first=example.supports or ()) for answer in example.answers)
    return next(filter(None, spans), None)


@dataclass(frozen=True, slots=True)
class _Result:
    example: Example
    context: Sequence[AblatedText] = ()


def _inside(tokens: Sequence[Token], span: Span) -> list[Token]:
    return [token for token in tokens if token.start < span.end and span.start < token.end]


def _moved(gold: Span | None, passages: Sequence[Passage], texts: Sequence[AblatedText]) -> Span | None:
    """The new gold span: its tokens, or only its part of a token that did not change."""
    if gold is None or not texts:
        return gold
    tokens = _inside(passages[gold.paragraph].tokens, gold)
    now = texts[gold.paragraph]
    places = [now.places[token.start] for token in tokens]
    if not places:
        return None
    start, end = min(a for a, _ in places), max(b for _, b in places)
    first, last, text = tokens[0], tokens[-1], now.paragraph.text
    (a, b), (c, d) = now.places[first.start], now.places[last.start]
    start += gold.start - first.start if gold.start > first.start and text[a:b] == first.text else 0
    end -= last.end - gold.end if gold.end < last.end and text[c:d] == last.text else 0
    return Span(gold.paragraph, start, end)


# The ways


def _question(keeps: Collection[str]) -> Callable[[_Work], _Result]:
    def ablated(work: _Work) -> _Result:
        words = {token.start: UNKNOWN for token in work.question.tokens if token.text.lower() not in keeps}
        work.dropped = len(words)
        question = reworded(work.question, words, spaced=True)
        return _Result(replace(work.example, question=question))

    return ablated


def _dropping(drops: Callable[[Token], bool]) -> Callable[[_Work], _Result]:
    def words(_source: Passage, sentence: Sentence, _work: _Work) -> Words:
        return {token.start: UNKNOWN for token in sentence.tokens if drops(token)}

    return lambda work: _each_sentence(work, words)


def _no_pronouns(source: Passage, sentence: Sentence, work: _Work) -> Words:
    tagged = sentence.tagged(work.tagger)
    pairs = zip(sentence.tokens, tagged, strict=True)
    return {token.start: UNKNOWN for token, (tag, _lemma) in pairs if tag in PRONOUN_TAGS}


def _other_numbers(source: Passage, sentence: Sentence, work: _Work) -> Words:
    tagged = sentence.tagged(work.tagger)
    pairs = zip(sentence.tokens, tagged, strict=True)
    return {token.start: other_number(token.text, work.rng) for token, (tag, _lemma) in pairs if tag == "CD"}


def other_number(numeral: str, rng: Random) -> str:
    """A random number in place of a numeral: as many digits at the same places, or two digits for a word."""
    if not any(sign.isascii() and sign.isdigit() for sign in numeral):
        return str(rng.randint(10, 99))
    while True:
        number = "".join(_digit(sign, rng) for sign in numeral)
        if number != numeral:
            return number


def _digit(sign: str, rng: Random) -> str:
    if not (sign.isascii() and sign.isdigit()):
        return sign
    return str(rng.randint(0 if sign == "0" else 1, 9))


def _each_sentence(work: _Work, words: Callable[[Passage, Sentence, _Work], Words]) -> _Result:
    """Every sentence of the context reworded; titles are part of a context of several paragraphs, and go along."""
    texts = []
    for source in work.passages:
        rows = []
        for sentence in source.sentences:
            others = words(source, sentence, work)
            work.dropped += len(others)
            rows.append(with_words(source, sentence, others))
        texts.append(assembled(source, rows, title=_title(source, work, words)))
    return _with_context(work, texts)


def _title(source: Passage, work: _Work, words: Callable[[Passage, Sentence, _Work], Words]) -> str:
    if len(work.passages) < 2 or not source.title.strip():
        return source.title
    title = passage(source.title)
    others: Words = {}
    for sentence in title.sentences:
        others |= words(title, sentence, work)
    return reworded(title, others)


def _with_context(work: _Work, texts: Sequence[AblatedText], **changes: Any) -> _Result:
    return _Result(replace(work.example, paragraphs=tuple(m.paragraph for m in texts), **changes), texts)


def _anonymous(work: _Work) -> _Result:
    names = Names(work.tagger)
    texts = []
    for source in work.passages:
        rows = [with_words(source, s, names.words(s), spaced=True) for s in source.sentences]
        work.dropped += len(source.tokens)
        title = names.renamed(source.title) if len(work.passages) > 1 else source.title
        texts.append(assembled(source, rows, title=title))
    options = tuple(map(names.renamed, work.example.options))
    answers = work.example.answers
    if options:
        known = dict(zip(work.example.options, options, strict=True))
        answers = tuple(known.get(answer, answer) for answer in answers)
    question = names.renamed(work.example.question)
    return _with_context(work, texts, question=question, options=options, answers=answers)


def _most_similar(work: _Work) -> _Result:
    """Drop every token of the sentences that do not share the largest number of words with the question."""
    question_words = {token.text.lower() for token in work.question.tokens if not is_sign(token.text)}
    shared = {
        (at, sentence.start): len(question_words & {token.text.lower() for token in sentence.tokens})
        for at, source in enumerate(work.passages)
        for sentence in source.sentences
    }
    most = max(shared.values(), default=0)
    texts = []
    for at, source in enumerate(work.passages):
        rows = []
        for sentence in source.sentences:
            stays = shared[at, sentence.start] == most
            others = {} if stays else {token.start: UNKNOWN for token in sentence.tokens}
            work.dropped += len(others)
            rows.append(with_words(source, sentence, others))
        texts.append(assembled(source, rows, title=source.title))
    return _with_context(work, texts)


def _shuffled_words(work: _Work) -> _Result:
    shuffled = [shuffled_words(p, work.grown(k), work.length, work.rng) for k, p in enumerate(work.passages)]
    return _with_context(work, shuffled, facts=None)


def _shuffled_in_sentences(work: _Work) -> _Result:
    them = [shuffled_in_sentences(p, work.grown(k), work.length, work.rng) for k, p in enumerate(work.passages)]
    return _with_context(work, them)


def _shuffled_sentences(work: _Work) -> _Result:
    texts: list[AblatedText] = []
    places: dict[tuple[int, int], int] = {}
    for at, source in enumerate(work.passages):
        one, order = shuffled_sentences(source, work.grown(at), work.rng)
        texts.append(one)
        places |= {(at, old): new for new, old in enumerate(order)}
    facts = work.example.facts
    if facts is not None:
        facts = tuple((p, places[p, s]) for p, s in facts if (p, s) in places)
    return _with_context(work, texts, facts=facts)


_HOW: Mapping[int, Callable[[_Work], _Result]] = {
    1: _question(INTERROGATIVES),
    2: _dropping(lambda token: not is_sign(token.text) and not is_function_word(token.text)),
    3: _dropping(lambda token: is_function_word(token.text)),
    4: _anonymous,
    5: _most_similar,
    6: _shuffled_words,
    7: _shuffled_in_sentences,
    8: _shuffled_sentences,
    9: lambda work: _each_sentence(work, _other_numbers),
    10: _dropping(lambda token: token.text.lower() in LOGICAL_WORDS),
    11: lambda work: _each_sentence(work, _no_pronouns),
    12: _dropping(lambda token: token.text.lower() in CAUSAL_WORDS),
    13: _question(()),
    14: _dropping(lambda token: True),
}
