"""Parsing a posted page of ratings: fields `r-NAME`, of element k as shown `r-NAME-k`."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotation.pure.ratings.responses import blank, candidates_of, number_of, parts_of, prefilled, rows_of, value_at
from annotation.pure.ratings.rubric import BEST, CHOICES, MARK, NUMBER, ORDER, SCALE, TEXT, TIE
from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import TaskForm


class Form(TaskForm):
    """Elements and candidates are posted by the positions at which they are shown, and stored by the payload's."""

    def answer(self) -> JSON:
        """All that was posted, also where it is not asked any more: a draft keeps it."""
        found: JSON = {}
        for criterion in self.payload["criteria"]:
            values = {k: self._read(criterion, field, k) for field, k in self._fields(criterion)}
            whole = [values[k] for k in sorted(key for key in values if key is not None)]
            found[criterion["name"]] = whole if criterion["each"] else values[None]
        return found

    def shown(self, answer: JSON | None) -> JSON:
        """`sections`: neighbouring criteria about the same list, or about the record, by element as it is shown."""
        sections, fields = [], {}
        for each, criteria in groupby(self.payload["criteria"], itemgetter("each")):
            rows: dict[int, list[JSON]] = {}
            for criterion in criteria:
                for place, (field, k) in enumerate(self._fields(criterion)):
                    value = self._start(criterion, k) if answer is None else value_at(answer, criterion, k)
                    fields[field] = self._posted(criterion, value, k)
                    candidates = self.payload["candidates"].get(criterion["name"], [])
                    cell = {"criterion": criterion, "field": field, "value": fields[field], "candidates": candidates}
                    rows.setdefault(place, []).append(cell)
            sections.append(self._section(each, rows))
        return {"sections": sections, "fields": fields}

    def _section(self, each: str, rows: dict[int, list[JSON]]) -> JSON:
        rated = self.payload["lists"].get(each, {"title": "", "elements": [None]})
        shown = [{"element": rated["elements"][place], "cells": cells} for place, cells in rows.items()]
        return {"field": each, "title": rated["title"], "rows": shown}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        fields = self.shown(answer)["fields"]
        return {name: value if isinstance(value, list) else [value] for name, value in fields.items()}

    def _fields(self, criterion: JSON) -> Iterator[tuple[str, int | None]]:
        """(name of the field, position in the payload) of each control, in the order in which they are shown."""
        field, rows = f"r-{criterion['name']}", rows_of(self.payload, criterion)
        if rows is None:
            yield field, None
            return
        order = self.payload.get("order", {}).get(criterion["each"], range(rows))
        yield from ((f"{field}-{shown}", k) for shown, k in enumerate(order))

    def _start(self, criterion: JSON, k: int | None) -> Any:
        return prefilled(criterion, k) if "prefill" in criterion else blank(criterion)

    def _read(self, criterion: JSON, field: str, k: int | None) -> Any:
        kind, posted = criterion["kind"], self.text(field)
        if kind == TEXT:
            return posted
        if kind == CHOICES:
            chosen = self.texts(field)
            return [value for value in criterion["values"] if value in chosen]
        if kind == MARK:
            return self._read_marks(criterion, posted, k)
        if kind == SCALE:
            return next((point for point in criterion["values"] if str(point) == posted), None)
        if kind == NUMBER:  # a text that is none stays, so that it is refused instead of lost
            return posted.strip() or None if (number := number_of(posted)) is None else number
        if kind in (BEST, ORDER):
            return self._read_candidates(criterion, posted)
        return posted if posted in criterion["values"] else None

    def _candidates(self, criterion: JSON) -> list[Any]:
        """The candidates as they are stored, in the order in which they are shown."""
        known = candidates_of(self.payload, criterion)
        return [known[k] for k in self.payload.get("ranked", {}).get(criterion["name"], range(len(known)))]

    def _read_candidates(self, criterion: JSON, posted: str) -> Any:
        if posted == TIE and criterion.get("tie"):
            return TIE
        shown = {str(place): each for place, each in enumerate(self._candidates(criterion), 1)}
        chosen = [shown[number] for number in posted.split() if number in shown]
        return (chosen or [None])[0] if criterion["kind"] == BEST else chosen or None

    def _posted(self, criterion: JSON, value: Any, k: int | None) -> Any:
        kind = criterion["kind"]
        if kind == CHOICES:
            return value or []
        if value is None or value == "":
            return ""
        if kind == MARK:
            return self._posted_marks(criterion, value, k)
        if kind in (BEST, ORDER) and value != TIE:
            shown = self._candidates(criterion)
            return " ".join(str(shown.index(each) + 1) for each in (value if kind == ORDER else [value]))
        return str(value)

    def _parts(self, criterion: JSON, k: int | None) -> list[int]:
        """The payload's positions of the parts in which words are marked, in the order in which they are shown."""
        field = criterion["values"][0]
        if criterion["each"] == field and k is not None:
            return [k]
        return self.payload.get("order", {}).get(field) or sorted(parts_of(self.payload, criterion, None))

    def _read_marks(self, criterion: JSON, posted: str, k: int | None) -> list[JSON]:
        """Marks as "part:start:end", with labels "part:start:end:number of the label", parts as shown."""
        parts, labels = self._parts(criterion, k), [pair[0] for pair in criterion.get("of", [])]
        found = []
        for mark in posted.split()[:1000]:
            numbers = [int(each) for each in mark.split(":") if each.isascii() and each.isdigit() and len(each) < 10]
            if len(numbers) != 3 + bool(labels) or numbers[0] >= len(parts):
                continue
            place = {"part": parts[numbers[0]], "start": numbers[1], "end": numbers[2]}
            if not labels:
                found.append(place)
            elif numbers[3] < len(labels):
                found.append({**place, "label": labels[numbers[3]]})
        return sorted(found, key=lambda mark: (mark["part"], mark["start"], mark["end"]))

    def _posted_marks(self, criterion: JSON, value: list[JSON], k: int | None) -> str:
        parts, labels = self._parts(criterion, k), [pair[0] for pair in criterion.get("of", [])]
        marks = [
            [parts.index(mark["part"]), mark["start"], mark["end"], *([labels.index(mark["label"])] if labels else [])]
            for mark in value
        ]
        return " ".join(":".join(map(str, mark)) for mark in sorted(marks))
