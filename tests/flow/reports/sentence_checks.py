"""What each sentence of a methods paragraph has to hold, computed from the rows a second time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from datetime import UTC
from decimal import Decimal
from math import ceil
from statistics import fmean, median
from typing import Any

from annotation.models import Adjudication, ArmDraw, Assignment, Batch, Payment
from annotation.pure.derivations.ablation import ABLATION
from annotation.tasktype.helpers.answering import answer_text
from tests.flow.reports.agreement_checks import compares, is_agreement
from tests.flow.reports.sentence_rows import Check, Rows, number

WHOM = (
    r"The 95 % intervals hold for (?:this (one) annotator only\.|these (\d+) annotators: they resample items and do "
    r"not predict how other people would perform\.)"
)
STEPS = {
    "free": "Which steps lead to the answer? Answer each, and tick the paragraph that supports it.",
    "guided": "Answer the sub-questions one after the other.",
    "single": "Answer the question, then its sub-questions one after the other.",
    "integrate": "Answer the question. All steps but the last are given with their answers.",
    "kind": "How many steps does the question take?",
}
OTHER_TASKS = {
    "compose": "Check that each bridge connects mentions of the same entity, then combine the hops into one question.",
    "choose": "Which of these questions best combines what the hops ask one after the other?",
    "coreference": "Do both questions refer to the same entity?",
    "subquestions": "Are these the right sub-questions, with the right answers?",
    "solvability": "Can the question still be solved, and can the removed features be guessed?",
    "cloze": "Which words were removed from the sentence, and does the answer need them?",
}
SEEN_AS = {
    "Withhold supporting paragraphs": "Leaves out all but some of each question's supporting paragraphs.",
    "Ablation 3: content words only": "Drops the function words of the context.",
}


def asked(rows: Rows, question: str) -> bool:
    """Whether the page of each HIT asks this, by what is in its payload."""
    task = rows.batch.task
    if task in OTHER_TASKS:
        return question == OTHER_TASKS[task]
    return {question} == {_asked_by(task, hit.payload) for hit in rows.hits}


def _asked_by(task: str, payload: Any) -> str:
    if task == "hops":
        return STEPS[payload["arm"]]
    if task == "sufficiency":
        return f"Are these paragraphs enough to {'find the answer' if payload['answer'] else 'answer the question'}?"
    tick = " and tick the paragraphs that support your answer." if payload["controls"]["support"] else "."
    if task == "answer":
        return f"Answer the question from the paragraphs{tick}"
    return f"Say whether the paragraphs answer the question. If they do, answer it{tick}"


def made_from(rows: Rows, said: tuple[str, ...]) -> bool:
    """Whether the step is the dataset's, and each page shows what the step leaves."""
    name, source, title, options, does = said
    dataset = rows.batch.datasets.get()
    if (name, source) != (dataset.slug, dataset.lineage["source"]) or does != SEEN_AS.get(title):
        return False
    if dataset.lineage["how"] == "withhold":
        whole = {item.source_id: item.example for item in dataset.root.items.all()}
        kept = {_supports_shown(hit, whole[hit.item.source_id]) for hit in rows.hits}
        return options == f"Supporting paragraphs that stay: {kept.pop()}" and not kept
    numbers = {hit.item.example.extra[ABLATION]["number"] for hit in rows.hits}
    return options == "Seeds: 1" and title == f"Ablation {numbers.pop()}: content words only"


def _supports_shown(hit: Any, whole: Any) -> int:
    shown = {paragraph["text"] for paragraph in hit.payload["paragraphs"]}
    return sum(whole.paragraphs[place].text in shown for place in whole.supports)


def by_hops(rows: Rows, result: str) -> bool:
    known = Counter(hit.item.hops for hit in rows.hits if hit.item.hops)
    return result == ", ".join(f"{hops} ({count})" for hops, count in sorted(known.items()))


def settled(rows: Rows, decision: str) -> int:
    """HITs that a requester adjudicated so: those of which one response alone is taken."""
    if rows.batch.task == "compose":
        return 0
    taken: defaultdict[int, list[str]] = defaultdict(list)
    for row in rows.counted:
        if (last := rows.last[row.pk]) and last.decision in ("accepted", "edited"):
            taken[row.hit_id].append(last.decision)
    return sum(found == [decision] for found in taken.values())


def twice(rows: Rows) -> list[bool]:
    """Of each HIT with two decisions that stand, whether both lead to one result."""
    by_hit: defaultdict[int, list[Hashable]] = defaultdict(list)
    for made in Adjudication.objects.current().filter(hit__batch=rows.batch).select_related("assignment"):
        answer = made.assignment.current.answer if made.assignment and made.assignment.current else {}
        by_hit[made.hit_id].append(made.text or (answer_text(answer), str(sorted(answer["support"]))))
    return [len(set(found)) == 1 for found in by_hit.values() if len(found) == 2]


def seconds(rows: Rows) -> list[float]:
    return [row.active_seconds for row in rows.answers if row.active_seconds]


def shown(duration: float) -> str:
    """Seconds as they are written: whole ones from ten on."""
    return f"{duration:.{0 if duration >= 10 else 1}f}"


def days(rows: Rows) -> list[str]:
    return [row.submitted_at.astimezone(UTC).date().isoformat() for row in rows.answers if not row.response_import_id]


def undecided(rows: Rows) -> int:
    return sum(row.approval == "" and row.auto_approve_at is not None for row in rows.answers)


def rejected(rows: Rows) -> list[Assignment]:
    return [row for row in rows.answers if row.approval == "rejected"]


def wages(rows: Rows) -> list[Decimal]:
    """Dollars an hour of each worker with measured time, from the payments of that work."""
    timed = [row for row in rows.batch.assignments.exclude(state="accepted") if row.active_seconds]
    paid = {row.assignment_id: row.amount for row in Payment.objects.filter(batch=rows.batch)}
    found = []
    for worker in {row.worker_id for row in timed if row.state == "submitted"}:
        own = [row for row in timed if row.worker_id == worker]
        hours = Decimal(str(sum(row.active_seconds for row in own))) / 3600
        found.append(round(sum((paid.get(row.pk, Decimal(0)) for row in own), Decimal(0)) / hours, 2))
    return sorted(found)


def is_wage(rows: Rows, said: tuple[str, ...]) -> bool:
    found, (count, middle, tenth) = wages(rows), said
    if not rows.paid or undecided(rows) or number(count) != len(found):
        return False
    low = found[ceil(len(found) / 10) - 1]
    return abs(median(found) - Decimal(middle)) <= Decimal("0.01") and tenth in (None, f"{low:.2f}")


def positions(batch: Batch) -> list[tuple[int, int]]:
    """Of the arm as first, second, ... one: how many workers drew it and came so far, and how many submitted in it."""
    found = [[0, 0] for _arm in batch.experiment.arms.all()]  # type: ignore[union-attr]
    for draw in ArmDraw.objects.filter(experiment=batch.experiment):
        if batch.pk not in draw.order:
            continue
        place = list(draw.order).index(batch.pk)
        found[place][0] += place <= list(draw.order).index(draw.arm_id)
        found[place][1] += batch.assignments.submitted().filter(worker=draw.worker).exists()
    return [(began, done) for began, done in found]


def arms(rows: Rows, count: str, name: str, listing: str) -> bool:
    every = list(rows.batch.experiment.arms.order_by("pk"))  # type: ignore[union-attr]
    sums = [[sum(each) for each in zip(*positions(arm), strict=True)] for arm in every]
    found = "; ".join(f"{arm.slug} {began}/{done}" for arm, (began, done) in zip(every, sums, strict=True))
    return (int(count), name, listing) == (len(every), rows.batch.slug, found)


def ranged(numbers: Iterable[int]) -> str:
    few, most = min(numbers := list(numbers)), max(numbers)
    return str(most) if few == most else f"{few} to {most}"


def planned(rows: Rows, said: tuple[str, ...]) -> bool:
    wanted, got, mean = said
    found = [ranged(hit.wanted for hit in rows.there), ranged(rows.numbers)]
    if [wanted, got] != found or wanted == got:
        return False
    return (mean is None) == (" to " not in got) and (mean is None or abs(fmean(rows.numbers) - float(mean)) <= 0.051)


def excludes(rows: Rows, number_: int, whole: str, reasons: str) -> bool:
    found = Counter(hit.exclusion_reason for hit in rows.excluded)
    listed = "; ".join(f"{reason} ({count})" if len(found) > 1 else reason for reason, count in sorted(found.items()))
    return (number_, int(whole), reasons) == (len(rows.excluded), len(rows.hits), listed)


MEASURE = r"(.+) is (-?[\d.]+)( %)? \(n = (\d+)"
METHODS: dict[str, Check] = {
    r"Annotators were asked: “(.+)”": lambda r, g: asked(r, g[0]),
    r"The data are (one|\d+) items? of the dataset (\S+)\.": lambda r, g: (
        number(g[0]) == len(r.hits) and g[1] == r.batch.datasets.get().slug
    ),
    r"(\S+) was made from (\S+) by “(.+?)” \((.+)\): (.+)": made_from,
    r"The task's own instructions came after this preface: “(.+)”": lambda r, g: (
        g[0] == "Before you begin In some items a step is missing." and "**some** items" in r.batch.instructions.text
    ),
    r"Each question requires (one|\d+) hops?\.": lambda r, g: {hit.item.hops for hit in r.hits} == {number(g[0])},
    r"The numbers of hops that .* parentheses, are: (.+)\.": lambda r, g: by_hops(r, g[0]),
    r"The number of hops is unknown for (one|\d+) items?\.": lambda r, g: (
        number(g[0]) == sum(not hit.item.hops for hit in r.hits)
    ),
    r"(One) annotator submitted (one|\d+) responses?\.": lambda r, g: (
        (number(g[0]), number(g[1])) == (r.workers, len(r.answers))
    ),
    r"In all, (\d+) annotators submitted (\d+) responses\.": lambda r, g: (
        (int(g[0]), int(g[1])) == (r.workers, len(r.answers)) and r.workers > 1
    ),
    r"(One|\d+) further responses? (?:was|were) erased at .*": lambda r, g: number(g[0]) == len(r.erased),
    r"(One|\d+) of them (?:was|were) collected elsewhere\.": lambda r, g: (
        number(g[0]) == sum(bool(row.response_import_id) for row in r.answers) < len(r.answers)
    ),
    r"(It was|All of them were) collected elsewhere\.": lambda r, g: (
        all(row.response_import_id for row in r.answers) and (g[0] == "It was") == (len(r.answers) == 1)
    ),
    r"Annotators were recruited on the marketplace panel\.": lambda r, g: r.batch.on_marketplace,
    r"Each annotator was assigned at random to one of (\d+) arms, so that all fill evenly; this is the arm (\S+)\. "
    r"Annotators who began / who submitted a response: (.+)\.": lambda r, g: arms(r, *g),
    r"Each annotator was to do (\d+) arms, one after the other in an order drawn at random from a Latin square, in "
    r"which each arm stands at each position equally often; this is the arm (\S+)\. Annotators who began / who "
    r"submitted a response: (.+)\.": lambda r, g: arms(r, *g) and r.batch.experiment.each == "order",
    r"As first, second, … arm it was begun / answered by this many annotators: (.+)\.": lambda r, g: (
        g[0] == "; ".join(f"{began}/{done}" for began, done in positions(r.batch))
    ),
    r"The annotator consented .*": lambda r, g: r.workers == r.consented == 1,
    r"All annotators consented .*": lambda r, g: r.workers == r.consented > 1,
    r"Of the (\d+) annotators, (\d+) consented .*": lambda r, g: (
        (int(g[1]), int(g[0])) == (r.consented, r.workers) and r.consented < r.workers
    ),
    r"Each item was assigned to (one|\d+) (?:different )?annotators?\.": lambda r, g: (
        {hit.wanted for hit in r.there} == {number(g[0])} == set(r.numbers)
    ),
    r"Each item was assigned to (\d+ to \d+) different annotators\.": lambda r, g: (
        ranged(r.numbers) == g[0] == ranged(hit.wanted for hit in r.there)
    ),
    r"Responses planned for each item: (\d+(?: to \d+)?); obtained: (\d+(?: to \d+)?)(?: \(([\d.]+) on average\))?\.": (
        planned
    ),
    r"(?:(One) item has|(\d+) of the items have) no response\.": lambda r, g: (
        number(g[0] or g[1]) == r.numbers.count(0)
    ),
    r"(All responses|The others) were submitted on (\S+) \(UTC\)\.": lambda r, g: (
        set(days(r)) == {g[1]} and (g[0] == "All responses") == (len(days(r)) == len(r.answers))
    ),
    r"All responses were given under version (\d+) of the instructions\.": lambda r, g: (
        {row.instructions_version for row in r.answers} == {int(g[0])}
    ),
    r"Versions of the instructions: 1; not recorded for (one|\d+) responses?\.": lambda r, g: (
        number(g[0]) == sum(not row.instructions_version for row in r.answers)
    ),
    r"The median active time per response was ([\d.]+) seconds\.": lambda r, g: (
        len(seconds(r)) == len(r.answers) and shown(median(seconds(r))) == g[0]
    ),
    r"Active time was measured for (one|\d+) responses?; (?:it|its median) was ([\d.]+) seconds\.": lambda r, g: (
        number(g[0]) == len(seconds(r)) < len(r.answers) and shown(median(seconds(r))) == g[1]
    ),
    r"(The annotator was|Annotators were) paid ([\d.]+) US dollars in total, excluding fees\.": lambda r, g: (
        sum(r.paid.values()) == Decimal(g[1]) and (g[0] == "The annotator was") == (r.workers == 1)
    ),
    r"(One|\d+) responses? (?:has|have) not been paid or decided on yet\.": lambda r, g: number(g[0]) == undecided(r),
    r"(One|\d+) responses? (?:was|were) rejected and not paid; this changes no figure\.": lambda r, g: (
        number(g[0]) == len(rejected(r)) and not any(row.pk in r.paid for row in rejected(r))
    ),
    r"(?:The (one)|Among the (\d+)) annotators? with measured time.* ([\d.]+) US dollars per hour"
    r"(?:; at least one in ten earned ([\d.]+) or less)?\.": lambda r, g: is_wage(r, (g[0] or g[1], g[2], g[3])),
    r"Agreement on (.+) compares (one|\d+) pairs? of responses\.": lambda r, g: compares(r, g[0], g[1]),
    MEASURE + r"\)\.": lambda r, g: is_agreement(r, g) and g[0].endswith(("by chance", "random guessing")),
    MEASURE + r"; no interval, since it varies too little between items\)\.": is_agreement,
    MEASURE + r"; 95 % interval (-?[\d.]+)(?: %)? to (-?[\d.]+)(?: %)?\)\.": is_agreement,
    WHOM: lambda r, g: number(g[0] or g[1]) == len({row.worker_id for row in r.counted}),
    r"In review, (one|\d+) responses? (?:was|were) excluded or changes to (?:it|them) were requested;"
    r" the aggregated responses leave (?:it|them) out, the figures count (?:it|them)\.": lambda r, g: (
        number(g[0]) == r.decided("discarded")
    ),
    r"A requester adjudicated (one|\d+) items? by accepting one of (?:its|the) responses(?: to each)?\.": lambda r, g: (
        number(g[0]) == settled(r, "accepted")
    ),
    r"A requester adjudicated (one|\d+) items? with a wording of their own\.": lambda r, g: (
        number(g[0]) == settled(r, "edited")
    ),
    r"Two requesters decided on one item independently and (agreed|differed)\.": lambda r, g: (
        twice(r) == [g[0] == "agreed"]
    ),
    r"Two requesters decided on (\d+) items independently and agreed on (\d+) \((\d+) %\)\.": lambda r, g: (
        [int(g[0]), int(g[1])] == [len(twice(r)), sum(twice(r))] and round(100 * fmean(twice(r))) == int(g[2])
    ),
    r"Where they differ, a third decision is final\.": lambda r, g: not all(twice(r)),
    r"A requester reworded (one|\d+) responses?; .*": lambda r, g: number(g[0]) == r.decided("edited"),
    r"The results exclude (one|\d+) of (\d+) items: (.+)\.": lambda r, g: excludes(r, number(g[0]), g[1], g[2]),
    r"The results exclude all (\d+) items: (.+)\.": lambda r, g: int(g[0]) > 1 and excludes(r, int(g[0]), *g),
    r"The results exclude the only item: (.+)\.": lambda r, g: excludes(r, 1, "1", g[0]),
    r"The figures therefore count (\d+) of the (\d+) responses\.": lambda r, g: (
        (int(g[0]), int(g[1])) == (len(r.counted), len(r.answers))
    ),
    r"The figures therefore count no response\.": lambda r, g: not r.counted,
}
