"""DiRe's files (Trivedi et al. 2020): HotpotQA rows of which several belong to one question.

Rows of a question share its `_id` and are consecutive; the transformed kinds number them by
`sub_idx` and label them by `sufficiency` (1, 0, or -1 if no supporting paragraph is left). In the probes
a row may be labelled with facts of the removed paragraph, as by the authors' converter. Such facts are not in
the context; a derivation that labels rows like this stores them in `extra`, under `OUTSIDE`.
"""

from dataclasses import replace
from typing import Any

from annotation.formats.fields import Inspection
from annotation.formats.hotpotqa import HotpotQA
from annotation.formats.rows import UniqueIds
from annotation.pure.data.example import JSON, OUTSIDE, Example


class DiRe(HotpotQA):
    """HotpotQA's fields with `sufficiency` and `sub_idx` last; `group` is the `_id`."""

    name = "dire"
    title = "DiRe"
    rank = 8
    order = (*HotpotQA.order, "sufficiency", "sub_idx")
    used = HotpotQA.used | {"sufficiency", "sub_idx"}

    def looks(self, record: dict[str, Any]) -> int:
        return 3 * (super().looks(record) > 0 and "sufficiency" in record)

    def example(self, record: JSON, inspection: Inspection) -> Example:
        sufficiency, sub_idx = record.get("sufficiency"), record.get("sub_idx")
        if sufficiency is not None and (type(sufficiency) is not int or sufficiency not in (1, 0, -1)):
            inspection.mistyped("sufficiency", sufficiency, "1, 0 or -1")
        if sub_idx is not None and type(sub_idx) is not int:
            inspection.mistyped("sub_idx", sub_idx, "a whole number")
        example = super().example(record, inspection)
        if sufficiency is None:
            return replace(example, group=example.id)
        return replace(example, group=example.id, answerable=sufficiency == 1)

    def record(self, example: Example) -> JSON:
        record = super().record(example)
        if isinstance(outside := example.extra.get(OUTSIDE), list):
            record["supporting_facts"] = outside
        if "sufficiency" in record:
            record.pop("answerable", None)
        return record

    def check_answer(self, example: Example, inspection: Inspection) -> None:
        """Warn on sufficient rows only: in the others, paragraphs were removed on purpose."""
        if example.extra.get("sufficiency") == 1:
            super().check_answer(example, inspection)

    def check_fact(self, wrong: str, position: int, inspection: Inspection) -> None:
        """Say nothing: half of the probes' rows are labelled with the paragraph they lack."""

    def file(self) -> UniqueIds:
        return _Groups()


class _Groups(UniqueIds):
    """Checks that rows of one `_id` are consecutive, with distinct `sub_idx`."""

    def __init__(self) -> None:
        super().__init__()
        self._group = ""
        self._rows: set[int] = set()

    def admit(self, example: Example, inspection: Inspection) -> None:
        if example.id != self._group:
            self._begin(example, inspection)
        sub_idx = example.extra.get("sub_idx")
        if sub_idx in self._rows:
            fix = "Number the rows of an _id differently"
            inspection.error("sub_idx", f"row {sub_idx} of this _id was there before", fix)
        elif sub_idx is not None:
            self._rows.add(sub_idx)

    def _begin(self, example: Example, inspection: Inspection) -> None:
        self._group, self._rows = example.id, set()
        first = self.places.setdefault(example.id, inspection.place)
        if first != inspection.place:
            wrong = f"other rows of this _id begin in {first}, with other ids between"
            inspection.warn("_id", wrong, "Put the rows of an _id next to each other")


FORMAT = DiRe()
