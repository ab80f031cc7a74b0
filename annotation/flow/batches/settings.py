"""The settings of a batch, each said once: type, limits, words, default, when it may change. `parsing` checks them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from annotation.flow.batches import hidden_gold
from annotation.flow.setting_values import known_languages
from annotation.models import Batch, Dataset, Worker
from annotation.pure.money.pricing import MOST_DOLLARS
from annotation.pure.people.requirements import Requirement, read_all
from annotation.pure.setting_fields import ALWAYS, setting, settings_of
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.recruitment import Marketplace, marketplaces

DAY = 24 * 3600
GROUPS = {  # of the settings behind "More settings", in the order of the page
    "options": _("Options of the page, the same for all items"),
    "instructions": _("Instructions for workers"),
    "where": _("Where workers do it and who qualifies"),
    "which": _("Which worker can get which item"),
    "checks": _("Hidden gold"),
    "time": _("Time, approval and precision"),
    "pages": _("Adjudication, scores and pasted text"),
    "items": _("Draw of the items"),
    "name": _("Name in URLs and exports"),
}


@dataclass(frozen=True, kw_only=True)
class HiddenGold:
    """Items with known answers among a worker's others, and the rule that warns and pauses."""

    datasets: Sequence[Dataset] = setting(
        (), label=_("Datasets with known answers"), empty=_("none"), group="checks", option="checks"
    )
    percent: float | None = setting(
        None,
        label=_("Hidden gold, in percent of each worker's items"),
        help=_("Workers cannot tell these items from the others, and earn the same for them. Leave empty for none."),
        least=0,
        most=50,
        group="checks",
        option="check_share",
    )
    after: int = setting(
        5, label=_("Apply the rule after this many items"), least=1, most=1000, group="checks", option="check_after"
    )
    warn_below_percent: float | None = setting(
        None, label=_("Warn below (percent)"), least=1, most=100, group="checks", option="warn_below"
    )
    pause_below_percent: float | None = setting(
        None,
        label=_("Pause below (percent)"),
        help=_("Paused workers get no more HITs of this batch until you let them continue. Nothing is rejected."),
        least=1,
        most=100,
        group="checks",
        option="pause_below",
    )


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """All settings of a batch, checked. None of `expected_minutes`, `meeting`, … is left to a default."""

    name: str = setting(
        "",
        label=_("Name"),
        help=_("Used in URLs, commands and exports: letters, digits, hyphens. Leave empty to use the title."),
        length=100,
        empty=_("made from the title"),
        group="name",
    )
    title: str = setting(
        None,
        label=_("Title shown to workers"),
        length=200,
        required=True,
        check=known_languages,
        changes=ALWAYS,
        group="title",
        first=True,
    )
    task: str = setting("", label=_("Task"), registered=True, first=True)
    datasets: Sequence[Dataset] = setting((), label=_("Datasets"), registered=True, option="dataset", first=True)
    options: Mapping[str, Any] = setting(None, label=_("Options"), registered=True, option="option")
    sample: int | None = setting(
        None,
        label=_("Items from each dataset"),
        help=_("Leave empty to use all. A group, such as a pair of twins, counts as one item."),
        least=1,
        most=10**9,
        group="sample",
        first=True,
        registered=True,
        dry_run=None,
        empty=_("all"),
    )
    sample_by: str = setting(
        Batch.SampleBy.UNIFORM,
        label=_("How to draw the sample"),
        help=_(
            "By confidence, items of which the model is less sure are likelier. The draft needs predictions of one "
            "model with confidence; the report has figures of people and models only."
        ),
        choices=dict(Batch.SampleBy.choices),
        group="items",
        registered=True,
        dry_run=Batch.SampleBy.UNIFORM,
    )
    seed: int = setting(
        0,
        label=_("Seed"),
        help=_("The same seed draws the same sample in the same order."),
        least=0,
        most=2**62,
        required=True,
        group="items",
        registered=True,
    )
    assignments_per_hit: int = setting(
        None,
        label=_("Assignments per HIT"),
        help=_("The number of different workers who respond to each item."),
        least=1,
        most=100,
        required=True,
        registered=True,
        first=True,
        option="assignments",
    )
    most_per_worker: int | None = setting(
        None,
        label=_("HITs per worker at most"),
        help=_("Leave empty for no limit."),
        least=1,
        most=10**9,
        group="which",
        registered=True,
        dry_run=None,
        empty=_("no limit"),
    )
    meeting: str = setting(
        None,
        label=_("Items of the same group"),
        help=_("A group holds the twins, pairs or variants of one question."),
        choices=dict(Batch.Meeting.choices),
        group="which",
        registered=True,
    )
    purpose: str = setting(
        Batch.Purpose.PRODUCTION, label=_("Purpose"), choices=dict(Batch.Purpose.choices), group="which"
    )
    fresh_only: bool = setting(
        True,
        label=_("Skip items that the worker has seen in another batch"),
        help=_("Includes pairs and graphs made of them. Workers never get a question that they may have written."),
        group="which",
        registered=True,
        dry_run=False,
    )
    same_order: bool = setting(
        False,
        label=_("Same order for all workers"),
        help=_("Otherwise each worker gets the HITs in an order of their own, in blocks of 50."),
        group="which",
        registered=True,
    )
    counts_pasting: bool = setting(
        False,
        label=_("Count text pasted from elsewhere and time away from the page"),
        help=_(
            "Numbers only, for the report’s “Evidence that answers are people’s own”. The consent text must say so. "
            "Fixed at launch."
        ),
        group="pages",
        registered=True,
        dry_run=False,
    )
    suggest: str = setting(
        "",
        label=_("Suggestions from the model"),
        help=_(
            "A model with predictions for this draft. Half of the assignments, drawn at random, start with its "
            "prediction; as many others start blank, and only these count. The consent text must say so."
        ),
        length=200,
        empty=_("none"),
        group="pages",
        registered=True,
        dry_run="",
    )
    disjoint: bool = setting(
        True, label=_("Never use an item both for qualifying workers and for real work"), group="items", dry_run=False
    )
    unseen_only: bool = setting(
        False,
        label=_("Use only items that no other batch has used"),
        help=_("Only batches of this task count. The items are fixed at launch."),
        group="items",
    )
    expected_minutes: float | None = setting(
        None, label=_("Expected minutes per HIT"), least=0.5, most=600, changes=ALWAYS, group="time", option="minutes"
    )
    people: Sequence[Worker] = setting((), label=_("Workers"), changes=ALWAYS, option="worker", first=True)
    requirements: Sequence[Requirement] = setting(
        (), label=_("Requirements"), changes=ALWAYS, registered=True, dry_run=[], option="require"
    )
    two_adjudicators: bool = setting(
        False,
        label=_("Two requesters adjudicate each HIT, independently"),
        help=_(
            "Neither sees the other’s decision before both have decided. Where they differ, a third decision is final."
        ),
        changes=ALWAYS,
        group="pages",
        registered=True,
    )
    shows_scores: bool = setting(
        False,
        label=_("Show each worker their own scores once the batch is closed"),
        help=_(
            "They find them under “Your responses”, as means over their responses to items with gold. Workers who know "
            "their scores may respond differently if you open the batch again."
        ),
        changes=ALWAYS,
        group="pages",
    )
    paid: bool = setting(False, label=_("Paid work"), group="pay", first=True)
    reward: Decimal | None = setting(
        None,
        label=_("Reward in dollars"),
        help=_("For each approved assignment. If the pay depends on the response, the task's options set the rest."),
        least=Decimal(0),
        most=MOST_DOLLARS,
        group="pay",
        first=True,
        registered=True,
    )
    auto_approve_days: int | None = setting(
        7,
        label=_("Approve automatically after (days)"),
        help=_("Responses that are neither approved nor rejected by then are approved and paid."),
        least=0,
        most=30,
        group="time",
    )
    marketplace: Marketplace | None = setting(
        None,
        label=_("Where workers do it"),
        help=_("On a marketplace, that site's workers do the work, and you must pay."),
        empty=_("Here, by our own workers"),
        group="where",
    )
    checks: HiddenGold = setting(HiddenGold(), label=_("Hidden gold"), empty=_("none"))
    instructions: str = setting(
        "",
        label=_("Instructions"),
        help=_(
            "Markdown. Workers read them before their first HIT and can open them at any time. A section that begins "
            "with “## + Title” is folded; what stands below a line “[de]” is for readers of German."
        ),
        length=100_000,
        check=known_languages,
        multiline=True,
        changes=ALWAYS,
        group="instructions",
        registered=True,
    )
    contact: str = setting(
        "",
        label=_("Contact"),
        help=_("Name and email address of the person whom workers can ask about the study."),
        length=200,
        group="consent",
    )
    ethics: str = setting(
        "",
        label=_("Ethics approval"),
        help=_("Who approved the study, with the number of the approval; or why it needs none."),
        length=500,
        group="consent",
    )

    def columns(self) -> dict[str, Any]:
        """The columns of the batch's row."""
        return columns(vars(self))


SETTINGS = settings_of(BatchSettings)
PLAIN = [one for one in SETTINGS.values() if one.type in (bool, int, float, str, Decimal)]
COLUMNS = {field.name for field in Batch._meta.concrete_fields}
STORED_AS_COLUMNS = [one.name for one in PLAIN if one.name in COLUMNS and one.name != "reward"]  # columns as they are
COLUMNS_THAT_CHANGE = [name for name in STORED_AS_COLUMNS if SETTINGS[name].changes == ALWAYS]
COLUMNS_THAT_CHANGE += ["expected_seconds", "requirements"]


def columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as columns of Batch; pay on a marketplace always ends by automatic approval."""
    gold, days = values["checks"], values["auto_approve_days"]
    approves = values["paid"] or values["marketplace"] is not None
    return {
        **{name: values[name] for name in STORED_AS_COLUMNS},
        "slug": values["name"],
        "options": dict(values["options"]),
        "expected_seconds": max(1, round(60 * values["expected_minutes"])),
        "requirements": [one.written() for one in values["requirements"]],
        "reward": values["reward"] or Decimal(0),
        "auto_approval": DAY * (7 if days is None else days) if approves else None,
        "on_marketplace": values["marketplace"] is not None,
        "check_share": (gold.percent or 0) / 100,
        "check_rule": asdict(rule_of(gold)) if gold.percent else {},
    }


def rule_of(gold: HiddenGold) -> hidden_gold.Rule:
    """Its rule for warnings and pauses, in shares."""
    below = [percent / 100 if percent else None for percent in (gold.warn_below_percent, gold.pause_below_percent)]
    return hidden_gold.Rule(gold.after, *below)


def stored(batch: Batch) -> dict[str, Any]:
    """The settings of a batch by name, as `parse` reads them."""
    days = batch.auto_approval
    return {
        **{name: getattr(batch, name) for name in STORED_AS_COLUMNS},
        "name": batch.slug,
        "datasets": list(batch.datasets.all()),
        "options": batch.options,
        "expected_minutes": batch.expected_seconds / 60,
        "people": list(batch.workers.all()),
        "requirements": read_all(batch.requirements),
        "paid": days is not None,
        "reward": batch.reward or None,
        "auto_approve_days": 7 if days is None else round(days / DAY),
        "marketplace": marketplaces().of(batch) if batch.on_marketplace else None,
        "contact": "",
        "ethics": "",
        "checks": gold_of(batch),
        "instructions": batch.instructions.text,
    }


def gold_of(batch: Batch) -> HiddenGold:
    """The hidden gold of a batch."""
    rule = hidden_gold.read_rule(batch.check_rule)
    return HiddenGold(
        datasets=list(batch.checks.all()),
        percent=round(100 * batch.check_share, 2) or None,
        after=rule.after,
        warn_below_percent=_percent(rule.warn_below),
        pause_below_percent=_percent(rule.pause_below),
    )


def _percent(share: float | None) -> float | None:
    return round(100 * share, 2) if share else None
