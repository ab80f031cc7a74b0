"""The page of a person's keys."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.people import shortcuts
from annotation.forms.shortcuts import ShortcutsForm
from annotation.views.access import signed_in_form
from annotation.views.post_handling import see_other


@signed_in_form
def keys(request: HttpRequest) -> HttpResponse:
    """Every action of the tasks with its key; POST changes them, or resets all."""
    posted = request.method == "POST"
    if posted and "reset" in request.POST:
        shortcuts.save(request.user, off=False, keys={})
        messages.success(request, _("All keys are the defaults again."))
        return see_other("keys")
    form = ShortcutsForm(request.user.shortcuts, request.POST if posted else None)
    if posted and form.is_valid():
        shortcuts.save(request.user, off=not form.cleaned_data["single"], keys=form.chosen())
        messages.success(request, _("Saved. Your keys work in all tasks."))
        return see_other("keys")
    places = [{"url": reverse("account"), "label": _("Your account")}, {"url": "", "label": _("Keyboard shortcuts")}]
    context = {"form": form, "breadcrumbs": places}
    return render(request, "people/keys.html", context, status=422 if form.errors else 200)
