"""Creating a project."""

from __future__ import annotations

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.flow.errors import Refused
from annotation.flow.projects import new_project
from annotation.forms.projects import ConsoleForm
from annotation.views.access import require_get_or_post
from annotation.views.redirects import see


class NewProjectForm(ConsoleForm):
    """Title and name of a new project; by default the name is made from the title."""

    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=200, help_text=gettext_lazy("Shown to workers above their batches.")
    )
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=50,
        required=False,
        help_text=gettext_lazy("Used in URLs, commands and exports; cannot be changed. Leave empty to use the title."),
    )

    def clean_name(self) -> str:
        name = self.cleaned_data["name"] or slugify(self.cleaned_data.get("title", ""))[:50].strip("-")
        if not name and self.cleaned_data.get("title"):
            raise ValidationError(_("Give a name made of Latin letters, digits and hyphens."))
        if name:
            validate_slug(name)
        return name


@require_get_or_post
@login_required
def project_new(request: HttpRequest) -> HttpResponse:
    """The form of a new project, for those who may create one; it leads to the project's home."""
    if not new_project.may_found(request.user):
        raise Http404
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = new_project.found(request.user, title=form.cleaned_data["title"], slug=form.cleaned_data["name"])
        except Refused as refusal:
            form.add_error("name", str(refusal))
            form.fields["name"].widget.attrs["autofocus"] = True
        else:
            return see("project", made.slug)
    return render(request, "projects/new.html", {"form": form}, status=422 if form.is_bound else 200)
