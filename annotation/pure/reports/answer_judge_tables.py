"""Tables of systems' answers that people judged: how accurate systems and judges are, and what exact match gets wrong.

Judges are exact match, lexical match and models; each stands beside people, and none is added to them.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import Aspect, table_of
from annotation.pure.reports.tables import rounded, text_cell
from annotation.pure.statistics import answer_judges
from annotation.pure.statistics.answer_judges import AnswerRow, lexical_match
from annotation.pure.statistics.intervals import Figure, bootstrap_figure
from annotation.pure.text.translation_marks import gettext_noop as _

PEOPLE, EXACT, LEXICAL, F1 = _("People"), _("Exact match"), _("Lexical match"), _("F1")
WITHOUT_WRONG_GOLD = _("People, wrong gold left out")
JUDGE, SYSTEM = _("Judged by"), _("System")
EQUAL, LONGER, PART, SHARES_WORDS, SHARES_NONE = (
    _("Equal to it by exact match"),
    _("Contains it and says more"),
    _("Part of it"),
    _("Shares some of its words"),
    _("Shares no word with it"),
)
KINDS = (EQUAL, LONGER, PART, SHARES_WORDS, SHARES_NONE)
ABOUT = _("95 % intervals are over questions and say nothing about other annotators.")
RIGHT = _(
    "An answer is right if more than half of its annotators say so; where just half do, it counts as not judged "
    "(answers: %(ties)s)."
)
CONTROL = _(
    "Answers that exact match calls equal to gold: %(matching)s, of which people judged %(asked)s; as many of the rest "
    "count as right as of these."
)
NO_CONTROL = _("Answers that exact match calls equal to gold: %(matching)s. People judged none; all count as right.")
WRONG = _(
    "Answers that it calls wrong, without empty ones, which are wrong: %(others)s, of which people judged %(judged)s; "
    "as many of the rest count as right as of these. Of several systems, an answer counts for each."
)
UNDRAWN = _(
    "The items that people judged are not, or not yet, all of a random sample: figures assume that other answers are "
    "like those that they judged."
)
RANKS = _("Change of rank: the judge’s rank minus people’s; 2 is two places further down than by people.")
CORRECTION = _(
    "Sensitivity: of the answers that are right by people, the share that the judge calls right. Specificity: of the "
    "others, the share that it does not. Corrected (Rogan and Gladen 1978): what people would find, by the judge’s "
    "share of all questions and these two. Where people judged every answer it would be their figure, and is left out. "
    "A judge can correct only if sensitivity + specificity − 1 has a lower 95 % limit, in parentheses, above 10 %. "
    "Numbers of answers are effective ones, since answers weigh 1 / the share that was drawn."
)
CANNOT_CORRECT = _("This judge cannot correct (%(low)s %%).")
CUT = _("Cut to the ends of 0 to 100 %.")
ALL_RIGHT = _("Of the answers that it judged, people called none wrong: no specificity.")
NONE_RIGHT = _("Of the answers that it judged, people called none right: no sensitivity.")
NOTHING_IN_COMMON = _("It judged no answer that people judged.")

Systems = Mapping[str, Sequence["JudgedAnswer"]]
Judges = Mapping[str, Mapping[str, Sequence[AnswerRow]]]  # by judge and system


@dataclass(slots=True)
class JudgedAnswer:
    """A distinct answer to a question, the systems that gave it, people's labels and models' labels by their name.

    `text`: "" of an empty answer, which is wrong by anybody.
    """

    question: Hashable
    systems: Sequence[str]
    text: str
    exact: bool
    f1: float
    alternatives: Sequence[str] = ()
    given: Sequence[Any] = ()
    predicted: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """One of KINDS, of what the answer has in common with a gold alternative."""
        if self.exact:
            return EQUAL
        if lexical_match(self.text, self.alternatives):
            return LONGER
        if any(lexical_match(one, [self.text]) for one in self.alternatives):
            return PART
        return SHARES_WORDS if self.f1 > 0 else SHARES_NONE

    def by(self, judge: str, asked: Aspect) -> bool | None:
        """Whether it is right by people, a model, or the rule that a judge is; None if that is not known."""
        if judge in (EXACT, LEXICAL):
            return self.exact or (judge == LEXICAL and lexical_match(self.text, self.alternatives))
        if judge != PEOPLE and self.text:
            return self.predicted[judge] in asked.right if judge in self.predicted else None
        right = sum(one in asked.right for one in self.given)
        return None if self.text and 2 * right == len(self.given) else 2 * right > len(self.given)


def answer_judge_tables(
    asked: Aspect, answers: Sequence[JudgedAnswer], seed: int, *, drawn: bool = True
) -> Iterator[JSON]:
    """All tables of one criterion that says which answers are right; none where people judged no answer.

    `answers`: those to all questions of the systems, judged or not; `drawn`: those for people are a random sample.
    """
    if not any(one.given for one in answers):
        return
    systems: defaultdict[str, list[JudgedAnswer]] = defaultdict(list)
    for one in answers:
        for name in one.systems:
            systems[name].append(one)
    names = (EXACT, LEXICAL, *sorted({model for one in answers for model in one.predicted}))
    judges = {judge: {name: _rows(judge, systems[name], asked) for name in sorted(systems)} for judge in names}
    yield _accuracy(asked, systems, judges, seed, drawn=drawn)
    yield _judges(asked, judges, seed)
    yield _kinds(asked, systems, judges[EXACT], seed)


def _rows(judge: str, answers: Sequence[JudgedAnswer], asked: Aspect) -> list[AnswerRow]:
    """A system's questions as people and the judge see them, with the shares of answers like each that were judged."""
    known = {who: [one.by(who, asked) for one in answers] for who in (PEOPLE, judge)}
    shares = {(who, exact): _share_judged(of, answers, exact) for who, of in known.items() for exact in (True, False)}
    rows = []
    for one, right, called in zip(answers, known[PEOPLE], known[judge], strict=True):
        wrong_gold = 2 * sum(label in asked.wrong_gold for label in one.given) > len(one.given)
        share, of_judge = (shares[who, one.exact] if one.text else 1.0 for who in (PEOPLE, judge))
        rows.append(AnswerRow(one.question, one.exact, called, right, share, of_judge, wrong_gold))
    return rows


def _share_judged(known: Sequence[bool | None], answers: Sequence[JudgedAnswer], exact: bool) -> float:
    alike = [right is not None for right, one in zip(known, answers, strict=True) if one.text and one.exact is exact]
    return sum(alike) / len(alike) if any(alike) else 1.0


def _accuracy(asked: Aspect, systems: Systems, judges: Judges, seed: int, *, drawn: bool) -> JSON:
    """Of each judge its systems from the first to the last, beside people's rank."""
    people = judges[EXACT]
    found = {PEOPLE: {name: answer_judges.people_accuracy(rows, seed) for name, rows in people.items()}}
    judged = {PEOPLE: {name: sum(row.by_people is not None for row in rows) for name, rows in people.items()}}
    if any(row.wrong_gold for rows in people.values() for row in rows):
        left = {name: answer_judges.people_accuracy(rows, seed, leave_out=True) for name, rows in people.items()}
        kept = {name: judged[PEOPLE][name] - sum(row.wrong_gold for row in rows) for name, rows in people.items()}
        found[WITHOUT_WRONG_GOLD], judged[WITHOUT_WRONG_GOLD] = left, kept
    for judge, of in judges.items():
        found[judge] = {name: answer_judges.judge_accuracy(rows, seed) for name, rows in of.items()}
        judged[judge] = {name: sum(row.by_judge is not None for row in rows) for name, rows in of.items()}
        if judge == EXACT:
            found[F1] = {name: bootstrap_figure([one.f1 for one in systems[name]], seed) for name in of}
            judged[F1] = judged[EXACT]
    ranks = {judge: answer_judges.places(_known(of)) for judge, of in found.items()}
    rows = []
    for judge, figures in found.items():
        for name in sorted(figures, key=lambda name: (ranks[judge].get(name, len(figures)), name)):
            rank, by_people = ranks[judge].get(name), ranks[PEOPLE].get(name)
            change = None if judge == PEOPLE or rank is None or by_people is None else rank - by_people
            figure = figures[name]
            questions = None if judge == WITHOUT_WRONG_GOLD else figure.n  # how many are left is known of judged ones
            rows.append([_cell_of(judge), name, figure.as_json(), questions, judged[judge][name], rank, change])
    columns = (JUDGE, SYSTEM, _("Accuracy or F1"), _("Questions"), _("Answers judged"), _("Rank"), _("Change of rank"))
    return table_of(
        "answer-accuracy", asked, _("Accuracy of systems"), columns, rows, _about(systems, people, drawn=drawn)
    )


def _known(of: Mapping[str, Figure]) -> dict[str, float]:
    return {name: figure.value for name, figure in of.items() if figure.value is not None}


def _cell_of(judge: str) -> Any:
    """A model's name as it stands, the other judges in the reader's language."""
    return text_cell(judge) if judge in (PEOPLE, WITHOUT_WRONG_GOLD, EXACT, F1, LEXICAL) else judge


def _about(systems: Systems, people: Mapping[str, Sequence[AnswerRow]], *, drawn: bool) -> list[Any]:
    pairs = [pair for name, rows in people.items() for pair in zip(systems[name], rows, strict=True)]
    matching = [row.by_people is not None for _one, row in pairs if row.exact]
    others = [bool(one.given) and row.by_people is not None for one, row in pairs if one.text and not row.exact]
    ties = sum(bool(one.given) and row.by_people is None for one, row in pairs)
    control = text_cell(CONTROL if any(matching) else NO_CONTROL, asked=sum(matching), matching=len(matching))
    wrong = text_cell(WRONG, others=len(others), judged=sum(others))
    undrawn = [] if drawn or (all(matching) and sum(others) == len(others)) else [UNDRAWN]
    return [text_cell(RIGHT, ties=ties), *([control] if matching else []), wrong, *undrawn, RANKS, ABOUT]


def _judges(asked: Aspect, judges: Judges, seed: int) -> JSON:
    rows = []
    for judge, of in judges.items():
        for name, answers in of.items():
            found = answer_judges.corrected(answers, seed)
            sensitivity, specificity = found.rates.sensitivity, found.rates.specificity
            value = None if found.value is None else found.value.as_json()
            judged = [sensitivity.as_json(), sensitivity.n, specificity.as_json(), specificity.n]
            rows.append([_cell_of(judge), name, *judged, value, _why(found)])
    columns = [
        JUDGE,
        SYSTEM,
        _("Sensitivity"),
        _("Right by people"),
        _("Specificity"),
        _("Not right by people"),
        _("Corrected"),
        _("Remark"),
    ]
    if not any(row[-1] for row in rows):
        rows, columns = [row[:-1] for row in rows], columns[:-1]
    return table_of("answer-judges", asked, _("Judges of answers"), columns, rows, [CORRECTION, ABOUT])


def _why(found: answer_judges.Corrected) -> Any:
    if found.refused == answer_judges.CANNOT:
        return text_cell(CANNOT_CORRECT, low=rounded(100 * (found.rates.youden.low or 0.0), 1))
    if found.refused == answer_judges.NOBODY:
        right, wrong = found.rates.sensitivity.n, found.rates.specificity.n
        return text_cell(ALL_RIGHT if right else NONE_RIGHT if wrong else NOTHING_IN_COMMON)
    return text_cell(CUT) if found.cut else None


def _kinds(asked: Aspect, systems: Systems, people: Mapping[str, Sequence[AnswerRow]], seed: int) -> JSON:
    pairs = (pair for name, rows in people.items() for pair in zip(systems[name], rows, strict=True))
    every = [(one.kind, row) for one, row in pairs if one.text]
    counts = Counter(kind for kind, _row in every)
    judged = Counter(kind for kind, row in every if row.by_people is not None)
    right = answer_judges.right_of_kinds(every, seed)
    rows = [
        [text_cell(kind), counts[kind], judged[kind], right[kind].as_json() if kind in right else None]
        for kind in KINDS
        if counts[kind]
    ]
    columns = (_("Answer and gold"), _("Answers"), _("Judged by people"), _("Right by people"))
    note = [
        _(
            "Answers of all systems. Exact match calls all but the first kind wrong. Gold is the alternative that fits "
            "best; both are normalised as official scorers do."
        ),
        ABOUT,
    ]
    return table_of("answer-kinds", asked, _("Answers that exact match gets wrong"), columns, rows, note)
