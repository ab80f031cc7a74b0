"""The form of a derivation: its options, a name and a seed."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.derivations import DERIVATIONS
from annotation.flow.data.derivation import names_of, uploads_of
from annotation.flow.data.lineage import Family
from annotation.flow.setting_values import InvalidSettings, help_text, read_options, validate_unreserved
from annotation.forms.projects import ConsoleForm
from annotation.forms.setting_fields import form_field
from annotation.models import Dataset
from annotation.pure.data.dag import SHAPES
from annotation.pure.data.graph_drawing import draw
from annotation.pure.setting_fields import Setting, settings_of

PREFIX = "option_"
LONGEST_NAME = 100
MOST_SEED = 2**53 - 1


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
        every = settings_of(self.derivation.Options)
        self._options = {name: one for name, one in every.items() if not (paired and one.singles)}
        self._taken = set(Dataset.objects.filter(project=source.project_id).values_list("slug", flat=True))
        known = _proposed(source, how, family) | dict((kept or {}).get("options", {}))
        for one in self._options.values():
            value = known.get(one.name, one.default)
            self.fields |= _mix(one, value) if one.kind == "mix" else {PREFIX + one.name: _control(one, value, family)}
        self.fields["name"] = forms.SlugField(
            label=_("Name"),
            max_length=LONGEST_NAME - max(map(len, self.derivation.outputs)),
            initial=(kept or {}).get("name") or self._free_name(),
            validators=[validate_unreserved],
            help_text=self._names_help(),
        )
        self.fields["seed"] = forms.IntegerField(
            label=_("Seed"),
            min_value=0,
            max_value=MOST_SEED,
            initial=(kept or {}).get("seed", 1),
            help_text=_("The seed of every random draw. The same seed and options give the same dataset."),
        )

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
        name: str = self.cleaned_data["name"]
        if taken := [each for each in names_of(self.how, name) if each in self._taken]:
            text = ngettext(
                "The name %(names)s is taken. Choose another; datasets never change.",
                "The names %(names)s are taken. Choose another; datasets never change.",
                len(taken),
            )
            raise ValidationError(text % {"names": ", ".join(taken)})
        return name

    def clean(self) -> dict[str, Any]:
        """Empty options get their defaults; errors appear at their fields."""
        if problem := self.derivation.source_problem(self.source.features):
            self.add_error(None, _(problem))
        if not self.errors:
            held = {option: "-" for option in uploads_of(self.how) if self.cleaned_data.get(PREFIX + option)}
            try:
                read_options(self.derivation.Options, self.options() | held)
            except InvalidSettings as invalid:
                for name, texts in invalid.problems.items():
                    field = PREFIX + name.removeprefix("options.")  # a mix has a field for each of its shares
                    self.add_error(next((each for each in self.fields if each.startswith(field)), None), texts)
        return self.cleaned_data

    def options(self) -> dict[str, Any]:
        """The chosen options, without files."""
        found: dict[str, Any] = {}
        for name, one in self._options.items():
            if one.kind == "mix":
                found[name] = self._mix_text(name, one.shapes)
            elif one.kind != "upload":
                value = self.cleaned_data.get(PREFIX + name)
                empty = value is None or (value == "" and not one.kind)
                found[name] = one.default if empty else ",".join(value or ()) if one.kind == "datasets" else value
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
        for one in self._options.values():
            mix = one.kind == "mix"
            title = one.label if mix else one.group
            kind = "mix" if mix else "more" if title else ""
            group = found.setdefault(title, {"title": _(title) if title else "", "kind": kind, "fields": []})
            group["help"] = help_text(one) if mix else ""
            names = [f"{one.name}_{shape}" for shape in one.shapes] if mix else [one.name]
            group["fields"] += [self[PREFIX + name] for name in names]
        for group in found.values():
            group["open"] = any(field.errors for field in group["fields"])
            group["shares"] = [_share(field) for field in group["fields"]] if group["kind"] == "mix" else []
        return sorted(found.values(), key=lambda group: group["kind"] == "more")


def _share(field: BoundField) -> dict[str, Any]:
    shape = str(field.label)
    return {"field": field, "shape": shape, "drawing": draw(SHAPES[shape], int(shape[0]))}


def _proposed(source: Dataset, how: str, family: Family) -> dict[str, Any]:
    """Proposals from related datasets: single-hop questions as the pool, and inputs made for a filter."""
    known = settings_of(DERIVATIONS[how].Options)
    pool, inputs = family.nearest(source, "singlehop"), family.made_of(source, "disconnection-inputs")
    wanted = {"pool": "" if inputs and "inputs" in known else pool, "inputs": inputs}
    return {name: value for name, value in wanted.items() if name in known and value}


def _control(one: Setting, value: Any, family: Family) -> forms.Field:
    initial = None if one.blank is not None and value == one.blank else value
    given: dict[str, Any] = {"required": one.required, "initial": initial}
    if not one.kind:
        return form_field(one, **given)
    given |= {"label": _(one.label), "help_text": help_text(one)}
    names = [(row.slug, _of_size(row)) for row in family]
    if one.kind == "dataset":
        return forms.ChoiceField(choices=[("", _("none")), *names], **given)
    if one.kind == "upload":
        return forms.FileField(**given | {"initial": None})
    given |= {"initial": [name for name in value.split(",") if name], "widget": forms.CheckboxSelectMultiple}
    return forms.MultipleChoiceField(choices=names, **given)


def _of_size(row: Dataset) -> str:
    text = ngettext("%(name)s · %(n)s item", "%(name)s · %(n)s items", row.size)
    return text % {"name": row.slug, "n": f"{row.size:,}"}


def _mix(one: Setting, text: str) -> dict[str, forms.Field]:
    """A field for the share of each shape, 1 by default."""
    shares = dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    return {
        f"{PREFIX}{one.name}_{shape}": forms.FloatField(
            label=shape,
            min_value=0,
            max_value=1_000_000,
            required=False,
            initial=shares.get(shape, "0") if text else "1",
        )
        for shape in one.shapes
    }
