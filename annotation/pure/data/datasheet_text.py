"""A dataset's datasheet (Gebru et al. 2021) in Markdown. The same facts give the same bytes, whatever the language
of the page; unrecorded facts are stated as such.
"""

import json
from collections.abc import Iterator

from annotation.pure.data.datasheet import SORTS, AskedModel, Origin, Sheet, Split, Step, Table, Work, together
from annotation.pure.data.features import shape_words
from annotation.pure.text.escaping import code, plain, table

NOT_RECORDED = "not recorded"
_ANSWERABLE = {"yes": "answerable", "no": "unanswerable", "": "not said whether answerable"}


def datasheet(sheet: Sheet) -> str:
    """The datasheet as a Markdown document."""
    return "\n\n".join([f"# Datasheet of {plain(sheet.name)}", *_parts(sheet)]) + "\n"


def _parts(sheet: Sheet) -> Iterator[str]:
    yield "Written from what is recorded of the dataset. Nothing in it is estimated."
    yield "## What it holds"
    yield from composition(sheet)
    yield "## Sources and licences"
    yield from sources(sheet)
    yield "## Who worked on it, and how"
    yield from _collection(sheet)
    yield "## Ethics and consent"
    yield from ethics(sheet)
    yield "## What was left out"
    yield from _exclusions(sheet)
    yield "## How it was made"
    yield from lineage(sheet)
    yield "## Not recorded"
    yield (
        "The records do not say for what purpose the dataset was made, in which language it is, who the people are "
        "beyond their number, for what it should be used and not be used, and who maintains it. Whoever publishes it "
        "should add that here."
    )


def composition(sheet: Sheet) -> Iterator[str]:
    """Tables of questions by hops and split, of records, and of distinct contents."""
    columns = [*sheet.splits, together(sheet.splits)] if len(sheet.splits) > 1 else list(sheet.splits)
    head = [plain(split.name) for split in columns]
    hops = sorted({number for split in columns for number in split.hops}, key=lambda number: (not number, number))
    rows = [[_hops(number), *(str(split.hops[number]) for split in columns)] for number in hops]
    rows.append(["questions", *(str(sum(split.hops.values())) for split in columns)])
    yield table(["Questions by number of hops", *head], rows)
    yield "A question is counted once with its unanswerable twin. As records:"
    kinds = [kind for kind in _ANSWERABLE if any(split.answerable[kind] for split in columns)]
    rows = [[_ANSWERABLE[kind], *(str(split.answerable[kind]) for split in columns)] for kind in kinds]
    yield table(["Records", *head], [*rows, ["records", *(str(split.records) for split in columns)]])
    shapes = sorted({shape for split in columns for shape in split.shapes}, key=lambda shape: (not shape, shape))
    if any(shapes):
        rows = [[plain(shape_words(shape)), *(str(split.shapes[shape]) for split in columns)] for shape in shapes]
        rows.append(["questions", *(str(sum(split.shapes.values())) for split in columns)])
        yield table(["Questions by shape", *head], rows)
    yield table(["Different ones", *head], [[sort, *(_number(split, sort) for split in columns)] for sort in SORTS])
    yield (
        "Single-hop questions are told apart by their id, and by their words where they have none; answers and "
        "paragraphs (title and text) to the letter. Final answers are those of the questions, without aliases; "
        "single-hop answers are those of all hops, the last one included."
    )


def _hops(number: int) -> str:
    return {0: "without a decomposition", 1: "1 hop"}.get(number, f"{number} hops")


def _number(split: Split, sort: str) -> str:
    if sort == "final answers" or any(split.hops[number] for number in split.hops if number):
        return str(split.number(sort))
    return str(split.number(sort) or NOT_RECORDED)


def sources(sheet: Sheet) -> Iterator[str]:
    """The licence, and the datasets that were imported, with theirs."""
    yield f"Licence: {plain(sheet.licence) or NOT_RECORDED}."
    if sheet.origins:
        head = ["Dataset", "Format", "Items", "Licence", "Where it comes from", "SHA-256"]
        yield table(head, [_origin(origin) for origin in sheet.origins], words=6)
    else:
        yield f"Sources: {NOT_RECORDED}."
    for name, edited, archived in sheet.changed:
        changes = f"{_count(edited, 'item was', 'items were')} edited and {archived} archived"
        yield f"In {code(name)}, {changes} afterwards; what they were before is left out."
    if sheet.gone:
        names = ", ".join(code(name) for name in sheet.gone)
        yield f"It was also made from {names}, of which nothing is recorded any more."


def ethics(sheet: Sheet) -> Iterator[str]:
    """The ethics approval, and how people consented."""
    yield f"Ethics approval: {plain(sheet.ethics) or NOT_RECORDED}."
    stated = [plain(sheet.consent)] if sheet.consent else []
    if sheet.asked:
        people = _count(sheet.asked, "person who answered here", "people who answered here")
        stated.append(f"{sheet.consented} of {people} accepted the project's consent text")
    yield f"Consent: {'; '.join(stated) or NOT_RECORDED}."


def _origin(origin: Origin) -> list[str]:
    licence, source = plain(origin.licence) or NOT_RECORDED, plain(origin.source) or NOT_RECORDED
    return [code(origin.name), plain(origin.format), str(origin.size), licence, source, code(origin.sha256)]


def _collection(sheet: Sheet) -> Iterator[str]:
    if not sheet.works:
        yield "No batch is recorded in which people worked on this dataset."
        return
    people = "1 person" if sheet.workers == 1 else f"{sheet.workers} different people"
    yield f"{people} answered in {_count(len(sheet.works), 'batch', 'batches')}."
    for work in sheet.works:
        yield f"### {plain(work.batch)}"
        yield "\n".join(f"- {what}: {fact}" for what, fact in _facts(work))
        if work.asked:
            yield plain(" ".join(work.asked))
        if not work.agreement:
            yield f"Agreement: {NOT_RECORDED} (there is no report on these responses)."
        for figures in (*work.agreement, *work.baselines):
            yield from report_table(figures)


def _facts(work: Work) -> Iterator[tuple[str, str]]:
    yield "Task", plain(work.task)
    yield "Its answers", _use(work)
    yield "HITs", f"{work.hits}, {work.excluded} of them excluded"
    if work.drawn_by:
        yield "How its items were drawn", drawn(work)
    yield "Answers", "; ".join(_answers(work))
    if work.suggested:
        how = "drawn at random, balanced within HITs and workers; not among these answers, and in no result"
        yield "Responses that started with a suggestion", f"{work.suggested}, of the model {code(work.suggest)}: {how}"
    if work.imported:
        yield "Responses collected elsewhere", str(work.imported)
    assignments = f"{work.per_hit} to {work.most_per_hit} workers" if work.most_per_hit > work.per_hit else ""
    few, most = work.responses
    obtained = f"; obtained: {few}{f' to {most}' if most > few else ''}"
    is_met = work.responses == (work.per_hit, work.most_per_hit or work.per_hit)
    asked = assignments or _count(work.per_hit, "worker", "workers")
    yield "Asked for each HIT", asked if is_met else asked + obtained
    yield "Days", f"{work.first} to {work.last} (UTC)" if work.first else NOT_RECORDED
    yield "Versions of the instructions", str(work.instructions_versions or NOT_RECORDED)
    if work.preface:
        yield "Preface before the task's own instructions", plain(work.preface)
    yield "Who might work", _possible_workers(work)
    named = [f"{code(name)} ({_count(workers, 'worker', 'workers')})" for name, workers in work.qualifications]
    yield "Qualification batches of the same task before it", ", ".join(named) or "none recorded"
    paid = "; ".join(f"{plain(what)}: {plain(pay)}" for what, pay in work.pay)
    yield "Pay", paid or "none through this installation"
    for model in work.models:
        yield f"Predictions of the model {code(model.name)}, which are no answers of people", predicted(model)


def drawn(work: Work) -> str:
    """How items were drawn by confidence."""
    how = "the less sure it was, the likelier; each has its inclusion probability in provenance and responses"
    return f"by the confidence of the model {code(work.drawn_by)}: {how}"


def predicted(model: AskedModel) -> str:
    """About how many items a model was asked, where, when and how, and under which terms."""
    items = _count(model.items, "item", "items")
    if not model.host:
        return f"for {items}, imported; how they were made is {NOT_RECORDED}"
    sampling = [] if model.temperature is None else [f"temperature {model.temperature:g}"]
    parts = [
        f"for {items}, by {code(model.model)} at {code(model.host)}",
        f"{model.first} to {model.last} (UTC)",
        f"prompt with the SHA-256 {code(model.prompt_hash)}",
        _count(model.samples, "reply for each item", "replies for each item"),
        *sampling,
        f"cost {model.cost} US dollars by the prices given",
        f"terms for its output: {plain(model.terms) or NOT_RECORDED}",
    ]
    return "; ".join(parts)


def _use(work: Work) -> str:
    if not work.made:
        return "are about the dataset as it is"
    return f"went into the dataset: {decided(work)}" if work.decided else "went into the dataset"


def decided(work: Work) -> str:
    """By whom the results were decided, such as "3 accepted by a requester"."""
    return ", ".join(f"{number} {words}" for words, number in work.decided)


def _answers(work: Work) -> Iterator[str]:
    yield f"{work.answers}, by {_count(work.workers, 'worker', 'workers')}"
    if work.excluded_responses:
        yield f"{work.excluded_responses} of them to excluded HITs"
    yield from undecided(work)


def undecided(work: Work) -> Iterator[str]:
    """How many of the answers were not paid, and why."""
    if work.rejected:
        yield f"{work.rejected} of them rejected and not paid"
    if work.unpaid:
        yield f"{work.unpaid} of them not paid or decided on yet"


def _possible_workers(work: Work) -> str:
    of = f"the marketplace {plain(work.marketplace)}" if work.marketplace else "the project"
    everybody = f"nobody by name: every worker of {of} might take part"
    who = everybody if work.chosen is None else f"{_count(work.chosen, 'worker', 'workers')} by name"
    return f"{who}, having met the requirements of the batch" if work.requires else who


def report_table(figures: Table) -> Iterator[str]:
    yield f"**{plain(figures.title)}**"
    yield table([plain(cell) for cell in figures.head], [[plain(cell) for cell in row] for row in figures.rows])


def _exclusions(sheet: Sheet) -> Iterator[str]:
    rows = [row for step in sheet.steps for row in _left_out(step)]
    if not rows:
        yield "Nothing is recorded as left out."
        return
    yield table(["Step", "Reason", "Left out", "Of"], rows, words=2)


def _left_out(step: Step) -> Iterator[list[str]]:
    name = ", ".join(code(output) for output in step.made)
    dropped: dict[str, int] = step.report.get("dropped") or {}
    for reason, count in dropped.items():
        yield [name, plain(reason), str(count), _all_read(step, sum(dropped.values()))]
    answers: dict[str, int] = (step.report.get("figures") or {}).get("answers") or {} if step.batch else {}
    for reason, count in answers.items():
        if reason != "standing":
            yield [name, f"answers {plain(reason)} in review", str(count), f"{sum(answers.values())} answers"]


def _all_read(step: Step, dropped: int) -> str:
    """The number of items the step read; "candidates" if it dropped candidates that it had built itself."""
    read, kept = step.report.get("read"), step.report.get("kept", 0)
    if step.batch:
        return f"{read} HITs"
    return str(read) if read == kept + dropped else "candidates"


def lineage(sheet: Sheet) -> Iterator[str]:
    """The steps in order, numbered."""
    if not sheet.steps:
        yield "It was imported as it is."
        return
    yield "\n".join(f"{number}. {_step(step)}" for number, step in enumerate(sheet.steps, 1))


def _step(step: Step) -> str:
    outputs, of = (", ".join(code(name) for name in names) for names in (step.made, step.sources))
    title = f"{plain(step.title)} ({code(step.how)})" if step.title else code(step.how)
    how = f"the aggregated responses of the batch {code(step.batch)}" if step.batch else title
    options = json.dumps(dict(step.options), ensure_ascii=False, sort_keys=True)
    parts = [f"{outputs}: {how}, from {of}; options {code(options)}, seed {step.seed}, version {plain(step.version)}."]
    if "read" in step.report:
        parts.append(f"Read {step.report['read']}, kept {step.report['kept']}.")
    return " ".join(parts)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
