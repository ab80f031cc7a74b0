"""The causes of disagreement that adjudicators named in a batch, for its report."""

from collections import Counter, defaultdict

from annotation.flow.review import conclusions
from annotation.models import Adjudication, Batch
from annotation.pure.review import disagreement_causes
from annotation.tasktype import JSON


def cause_tables(batch: Batch) -> list[JSON]:
    """The causes of decided HITs, and the agreement of two independent adjudicators on them; [] if none was named."""
    counted: Counter[str] = Counter()
    hits = batch.hits.filter(check_item=False).exclude(cause="")
    if hits.exists():
        fresh = conclusions.fresh(batch, most=conclusions.AT_ONCE)
        counted.update(hits.exclude(fresh.is_open(), excluded_at__isnull=True).values_list("cause", flat=True))
    named = Adjudication.objects.current().filter(hit__batch=batch, hit__check_item=False).exclude(cause="")
    by_hit: defaultdict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    rows = named.order_by("hit", "pk").values_list("pk", "adjudicator", "hit", "hit__cause", "cause")
    for pk, adjudicator, hit, decided, cause in rows:
        by_hit[hit, decided][str(adjudicator or -pk)] = cause  # without an adjudicator: their account is gone
    pairs = {key: unit for key, unit in by_hit.items() if len(unit) == 2}
    counted[""] = sum(len(set(unit.values())) == 2 for (_hit, decided), unit in pairs.items() if not decided)
    return disagreement_causes.cause_tables(counted, list(pairs.values()), batch.seed)
