"""Reconstructability by ablation and dataset, from words typed (beside Sugawara et al. 2020, Table 10)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.pure.reports.tables import counted_sentence
from annotation.pure.reports.worker_dependence_tables import people_table
from annotation.pure.review.label_tables import WITHOUT_ONE, agreed, agreement_columns, alpha_row, raw_agreement_row
from annotation.pure.statistics.distance_agreement import NO_INTERVAL
from annotation.pure.statistics.intervals import clustered_mean, clustered_share
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.ablation_cells import Cell, head_of, in_cells, ranges, sentence_of, share_of
from annotation.tasktype.helpers.report_tables import (
    about,
    as_sentence,
    counted_rows,
    label_tables,
    question_of,
    report,
    table,
    text_cell,
    workers_of,
)

from .results import (
    DECISION,
    DELTA,
    GAMMA,
    KINDS,
    KNOWN,
    NECESSARY,
    THRESHOLDS,
    UNNECESSARY,
    aggregated,
    class_of,
    is_reconstructable,
    matched,
)
from .words import Removed, key, plain, removed_words

INTERVALS = _(
    "Shares with 95 % Wilson intervals, or bootstrap over questions if several items of one question are judged; "
    "shares of blanks with 95 % bootstrap intervals over questions"
)
RULE = _(
    "A blank matches if its most frequent word is the removed one: the same lemma for content words, the same "
    "word for function words. A blank in which two words are equally frequent does not match. A sentence is "
    "reconstructable if at least three of its five blanks match (60 %)."
)
NOT_COMPARABLE = _(
    "These shares are not comparable with the paper's 55.0 % (SQuAD) and 15.0 % (RACE): there annotators judged "
    "themselves whether they could guess the words; here the words are typed, which is a different construct."
)
NECESSITY = _("whether the removed words are necessary")
SAME_WORDS = _(
    "Two words are the same if they have the same lemma. “No idea” is a word of its own. The blanks of one sentence "
    "count as separate units, so the intervals are somewhat too narrow."
)
CHANCE = _(
    "Chance: in each blank the function word that was removed most often (“the” if none was), chosen with the removed "
    "words known."
)
COMMONEST = "the"
CLASSES = _(
    "γ and δ as in the paper's Section 5.2: reconstructable and not necessary, and reconstructable and "
    "necessary. Items with a tie about necessity are left out of these two."
)


RECONSTRUCTABLE_IN = _("Reconstructable, %(ablation)s, %(dataset)s")


@dataclass(frozen=True)
class Item:
    """A HIT with its aggregated response, and whether the word of each blank is the removed one."""

    row: HitWithResponses
    aggregate: JSON
    removed: Sequence[Removed]
    hits: Sequence[bool]

    @property
    def reconstructable(self) -> bool:
        return is_reconstructable(self.hits)

    @property
    def decided(self) -> bool:
        return self.aggregate["kind"] in KINDS

    @property
    def class_name(self) -> str:
        return class_of(self.hits, self.aggregate["kind"])


def item_of(row: HitWithResponses) -> Item | None:
    """The item with its results; None if it does not keep its original."""
    removed = removed_words(row.payload, row.example)
    if removed is None:
        return None
    aggregate = aggregated(row.payload, [one.answer for one in row.given])
    return Item(row, aggregate, removed, matched([one["word"] for one in aggregate["words"]], removed))


def cloze_report(hits: Iterable[HitWithResponses], *, seed: int) -> JSON:
    """Each HIT counts once, with the most frequent word of each blank."""
    hits = list(hits)
    rows = counted_rows(hits)
    items = [item for item in map(item_of, rows) if item]
    ordered = in_cells(items)
    tables = [
        _main_table(ordered, seed=seed),
        _thresholds_table(ordered, seed=seed),
        _kinds_table(ordered, seed=seed),
        *people_table(list(ranges(ordered, RECONSTRUCTABLE_IN, _reconstructable)), workers_of(hits)),
        *(_agreement(rows, seed=seed) if rows else []),
    ]
    paragraph = [*_paragraph(items, ordered), *about(hits, intervals=False)]
    return report(hits, tables, paragraph=paragraph, intervals=INTERVALS)


def _main_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> JSON:
    columns = (
        _("Ablation"), _("Dataset"), _("Items"), _("Blanks matched"), _("Reconstructable"),
        _("γ: reconstructable, not necessary"), _("δ: reconstructable, necessary"),
    )  # fmt: skip
    rows = []
    for cell, of in cells.items():
        decided = [item for item in of if item.decided]
        classes = [share_of(((item, item.class_name == name) for item in decided), seed) for name in (GAMMA, DELTA)]
        reconstructable = share_of(((item, item.reconstructable) for item in of), seed)
        rows.append([*head_of(cell), len(of), _blanks(of, seed), reconstructable, *classes])
    return table("reconstructability", _("Reconstructability by cloze"), columns, rows, [RULE, CLASSES, NOT_COMPARABLE])


def _blanks(of: Iterable[Item], seed: int) -> JSON:
    """The mean share of blanks that match."""
    shares = ((question_of(item.row), sum(item.hits) / len(item.hits)) for item in of)
    return clustered_mean(shares, seed, resamples=999).as_json()


def _thresholds_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> JSON:
    """Reconstructable items if 2, 3 or 4 of five blanks are enough, beside those by chance."""
    columns = (
        _("Ablation"), _("Dataset"), _("Who"), _("Items"), _("Blanks matched"),
        _("40 % of blanks"), _("60 % of blanks"), _("80 % of blanks"),
    )  # fmt: skip
    rows = []
    for cell, of in cells.items():
        word = _commonest_function_word(of)
        chance = [replace(item, hits=matched([word] * len(item.removed), item.removed)) for item in of]
        for who, own in ((text_cell(_("workers")), of), (text_cell(_("chance: always “%(word)s”"), word=word), chance)):
            shares = [
                share_of(((item, is_reconstructable(item.hits, least)) for item in own), seed) for least in THRESHOLDS
            ]
            rows.append([*head_of(cell), who, len(own), _blanks(own, seed), *shares])
    return table("thresholds", _("Reconstructable by the share of blanks required"), columns, rows, CHANCE)


def _commonest_function_word(items: Iterable[Item]) -> str:
    counts = Counter(plain(one.text) for item in items for one in item.removed if one.is_function)
    return min(counts, key=lambda word: (-counts[word], word)) if counts else COMMONEST


def _kinds_table(cells: Mapping[Cell, Sequence[Item]], *, seed: int) -> JSON:
    """Blanks matched by the kind of the removed word; the blanks of one question are resampled together."""
    columns = (_("Ablation"), _("Dataset"), _("Removed words"), _("Blanks"), _("Matched"))
    rows = []
    for cell, of in cells.items():
        for words, function in ((_("content words"), False), (_("function words"), True)):
            own = [
                (question_of(item.row), float(hit))
                for item in of
                for one, hit in zip(item.removed, item.hits, strict=True)
                if one.is_function is function
            ]
            if own:
                rows.append([*head_of(cell), text_cell(words), len(own), clustered_share(own, seed).as_json()])
    return table("kinds", _("Blanks matched, by kind of word"), columns, rows)


def _reconstructable(row: HitWithResponses) -> float | None:
    item = item_of(row)
    return None if item is None else float(item.reconstructable)


def _agreement(rows: Sequence[HitWithResponses], *, seed: int) -> list[JSON]:
    """Agreement on the words, over blanks; and agreement, labels and workers on necessity, over items."""
    known = {row.hit: row.example.extra.get(KNOWN) for row in rows}
    gold = {hit: NECESSARY if right else UNNECESSARY for hit, right in known.items() if isinstance(right, bool)}
    words = [
        {one.worker: key(one.answer["words"][k]) for one in row.given}
        for row in rows
        for k in range(len(row.payload["blanks"]))
    ]
    note = [SAME_WORDS, NO_INTERVAL, WITHOUT_ONE]
    both = [raw_agreement_row(text_cell(_("Raw agreement of two annotators")), words, seed), alpha_row(words, seed)]
    typed = table("word-agreement", _("Agreement on the words"), agreement_columns(_("Blanks")), both, note)
    return [
        typed | agreed(words, _("the words")),
        *label_tables(rows, DECISION.labels, on=NECESSITY, seed=seed, gold=gold),
    ]


def _paragraph(items: Sequence[Item], cells: Mapping[Cell, Sequence[Item]]) -> Iterator[JSON]:
    if not items:
        return
    yield counted_sentence(
        len(items),
        _("One ablated sentence was filled in."),
        _("%(n)s ablated sentences were filled in."),
    )
    for cell, of in cells.items():
        values = {"reconstructable": sum(item.reconstructable for item in of), "n": len(of)}
        alone = _("By majority, %(reconstructable)s of %(n)s are reconstructable.")
        among = _("By majority, %(reconstructable)s of %(n)s are reconstructable (%(ablation)s; %(dataset)s).")
        yield sentence_of(cells, cell, alone, among, **values)
    if tied := sum(not item.decided for item in items):
        yield as_sentence(_("For %(n)s, annotators are tied on whether the removed words are necessary."), n=tied)
