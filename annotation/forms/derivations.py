"""The form of a derivation: its options, a name and a seed."""

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive
from annotation.flow.data.derivation import names_of, uploads_of
from annotation.flow.data.lineage import Family
from annotation.forms.projects import NAMES_OF_PAGES, ConsoleForm
from annotation.models import Dataset
from annotation.pure.data.dag import SHAPES
from annotation.pure.data.graph_drawing import draw

PREFIX = "option_"
LONGEST_NAME = 100
MOST_SEED = 2**53 - 1
CONTROLS = {bool: forms.BooleanField, int: forms.IntegerField, float: forms.FloatField, str: forms.CharField}


class DeriveForm(ConsoleForm):
    """A derivation's form; `kept` are the arguments of a former job to start from."""

    def __init__(
        self,
        source: Dataset,
        how: str,
        family: Family,
        data: Any = None,
        files: Any = None,
        *,
        kept: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, files)
        self.source, self.how, self.derivation = source, how, DERIVATIONS[how]
        self.has_inputs = bool(family.made_of(source, "disconnection-inputs"))
        paired = bool(set(source.features.get("hops", {})) - {"0"})
        every = fields(self.derivation.Options)
        self._options = {each.name: each for each in every if not (paired and each.metadata.get("singles"))}
        self._taken = set(Dataset.objects.filter(project=source.project_id).values_list("slug", flat=True))
        known = _proposed(source, how, family) | dict((kept or {}).get("options", {}))
        for each in self._options.values():
            self._add(each, known.get(each.name, each.default), family)
        self.fields["name"] = forms.SlugField(
            label=_("Name"),
            max_length=LONGEST_NAME - max(map(len, self.derivation.outputs)),
            initial=(kept or {}).get("name") or self._free_name(),
            help_text=self._names_help(),
        )
        self.fields["seed"] = forms.IntegerField(
            label=_("Seed"),
            min_value=0,
            max_value=MOST_SEED,
            initial=(kept or {}).get("seed", 1),
            help_text=_("The seed of every random draw. The same seed and options give the same dataset."),
        )

    def _add(self, each: Field[Any], value: Any, family: Family) -> None:
        about = each.metadata
        if about.get("kind") == "mix":
            self.fields |= _mix(each.name, about, value)
            return
        common = {
            "label": _(about["label"]),
            "help_text": _(about["help"]) % about.get("values", {}) if about["help"] else "",
            "required": False,
            "initial": None if value == about.get("empty", ()) else value,
        }
        self.fields[PREFIX + each.name] = _control(each, common, family)

    def _free_name(self) -> str:
        """The source's name with the derivation's suffix, and a number if that is taken."""
        wide = LONGEST_NAME - max(map(len, self.derivation.outputs)) - 3
        stem, before = self.source.slug, DERIVATIONS.get(self.source.lineage.get("how", ""))
        if self.derivation.suffix:  # the lineage lists earlier derivations, so the name need not repeat them
            stem = stem.removesuffix(f"-{before.suffix}") if before and before.suffix else stem
        base = "-".join(part for part in (stem, self.derivation.suffix) if part)[:wide].rstrip("-_")
        candidates = [base, *(f"{base}-{number}" for number in range(2, 100))]
        free = (name for name in candidates if self._taken.isdisjoint(names_of(self.how, name)))
        return next(free, "")

    def _names_help(self) -> str:
        if len(self.derivation.outputs) == 1:
            return _("Letters, digits, hyphens. Used in URLs, commands and exports; cannot be changed.")
        text = _("Makes %(n)d datasets, named with this name followed by %(outputs)s.")
        outputs = ", ".join(self.derivation.outputs)
        return text % {"n": len(self.derivation.outputs), "outputs": outputs}

    def clean_name(self) -> str:
        name = self.cleaned_data["name"]
        if taken := [each for each in names_of(self.how, name) if each in self._taken]:
            text = ngettext(
                "The name %(names)s is taken. Choose another; datasets never change.",
                "The names %(names)s are taken. Choose another; datasets never change.",
                len(taken),
            )
            raise ValidationError(text % {"names": ", ".join(taken)})
        if name in NAMES_OF_PAGES:
            raise ValidationError(_("This name is reserved. Choose another name."))
        return name

    def clean(self) -> dict[str, Any]:
        """Empty options get their defaults; errors appear at their fields."""
        if problem := self.derivation.source_problem(self.source.features):
            self.add_error(None, _(problem))
        if not self.errors:
            held = {option: "-" for option in uploads_of(self.how) if self.cleaned_data.get(PREFIX + option)}
            try:
                self.derivation.check(self.derivation.Options(**self.options(), **held))
            except CannotDerive as invalid:
                name = next((each for each in self.fields if each.startswith(PREFIX + invalid.option)), None)
                self.add_error(name if invalid.option else None, str(invalid))
        return self.cleaned_data

    def options(self) -> dict[str, Any]:
        """The chosen options, without files."""
        found: dict[str, Any] = {}
        for name, each in self._options.items():
            kind = each.metadata.get("kind")
            if kind == "mix":
                found[name] = self._mix_text(name, each.metadata["shapes"])
            elif kind != "upload":
                value = self.cleaned_data.get(PREFIX + name)
                empty = value is None or (value == "" and not kind)
                found[name] = each.default if empty else ",".join(value) if kind == "datasets" else value
        return found

    def _mix_text(self, name: str, shapes: tuple[str, ...]) -> str:
        """A mix as the derivation parses it; "" for equal shares."""
        shares = {shape: self.cleaned_data.get(f"{PREFIX}{name}_{shape}") or 0 for shape in shapes}
        equal = len(set(shares.values())) == 1 and any(shares.values())
        return "" if equal else ",".join(f"{shape}={share:g}" for shape, share in shares.items())

    @property
    def outputs(self) -> list[str]:
        """The names of the datasets to be created."""
        return names_of(self.how, self["name"].value() or "")

    def uploads(self) -> dict[str, Any]:
        """The chosen files, by option."""
        chosen = {option: self.cleaned_data.get(PREFIX + option) for option in uploads_of(self.how)}
        return {option: file for option, file in chosen.items() if file}

    @property
    def groups(self) -> list[dict[str, Any]]:
        """{"title" ("" for none), "kind" ("", "mix" or "more"), "help", "fields", "open"} of each group of fields.

        Those of a mix also have `shares`: {"field", "shape", "drawing" (pure.data.graph_drawing)} for each shape.
        """
        found: dict[str, dict[str, Any]] = {}
        for each in self._options.values():
            about = each.metadata
            mix = about.get("kind") == "mix"
            title = about["label"] if mix else about.get("group", "")
            kind = "mix" if mix else "more" if title else ""
            group = found.setdefault(title, {"title": _(title) if title else "", "kind": kind, "fields": []})
            group["help"] = _(about["help"]) if mix else ""
            group["fields"] += self._bound(each.name, about)
        for group in found.values():
            group["open"] = any(field.errors for field in group["fields"])
            group["shares"] = [_share(field) for field in group["fields"]] if group["kind"] == "mix" else []
        return sorted(found.values(), key=lambda group: group["kind"] == "more")

    def _bound(self, name: str, about: Mapping[str, Any]) -> list[BoundField]:
        if about.get("kind") == "mix":
            return [self[f"{PREFIX}{name}_{shape}"] for shape in about["shapes"]]
        return [self[PREFIX + name]]


def _share(field: BoundField) -> dict[str, Any]:
    shape = str(field.label)
    return {"field": field, "shape": shape, "drawing": draw(SHAPES[shape], int(shape[0]))}


def _proposed(source: Dataset, how: str, family: Family) -> dict[str, Any]:
    """Proposals from related datasets: single-hop questions as the pool, and inputs made for a filter."""
    known = {each.name for each in fields(DERIVATIONS[how].Options)}
    pool, inputs = family.nearest(source, "singlehop"), family.made_of(source, "disconnection-inputs")
    wanted = {"pool": "" if inputs and "inputs" in known else pool, "inputs": inputs}
    return {name: value for name, value in wanted.items() if name in known and value}


def _control(each: Field[Any], common: dict[str, Any], family: Family) -> forms.Field:
    about, kind = each.metadata, each.metadata.get("kind")
    names = [(row.slug, _of_size(row)) for row in family]
    if kind == "dataset":
        return forms.ChoiceField(choices=[("", _("none")), *names], **common)
    if kind == "datasets":
        common["initial"] = [name for name in str(common["initial"] or "").split(",") if name]
        return forms.MultipleChoiceField(choices=names, widget=forms.CheckboxSelectMultiple, **common)
    if "choices" in about:
        return forms.ChoiceField(choices=[(value, _(text)) for value, text in about["choices"].items()], **common)
    if kind == "upload":
        return forms.FileField(**common | {"required": bool(about.get("needed")), "initial": None})
    if type(each.default) in (int, float):
        control = CONTROLS[type(each.default)](min_value=about.get("least"), max_value=about.get("most"), **common)
        control.widget.attrs["step"] = "1" if type(each.default) is int else "any"
        return control
    return CONTROLS[type(each.default)](**common | ({"max_length": 200} if type(each.default) is str else {}))


def _of_size(row: Dataset) -> str:
    text = ngettext("%(name)s · %(n)s item", "%(name)s · %(n)s items", row.size)
    return text % {"name": row.slug, "n": f"{row.size:,}"}


def _mix(name: str, about: Mapping[str, Any], text: str) -> dict[str, forms.Field]:
    """A field for the share of each shape, 1 by default."""
    shares = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    share = {shape: shares.get(shape, "0") if text else "1" for shape in about["shapes"]}
    return {
        f"{PREFIX}{name}_{shape}": forms.FloatField(
            label=shape,
            min_value=0,
            max_value=1_000_000,
            required=False,
            initial=share[shape],
            widget=forms.NumberInput(attrs={"step": "any"}),
        )
        for shape in about["shapes"]
    }
