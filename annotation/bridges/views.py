"""The page of broken bridges."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.bridges import broken_bridges as bridges
from annotation.bridges.models import BrokenBridge, ClosedHit
from annotation.models import Project
from annotation.pure.people import roles
from annotation.views.access import member_action, member_page
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import refusal_as_message, see_other


@member_page(roles.SEE)
def broken_bridges(request: HttpRequest, project: Project) -> HttpResponse:
    """The bridges that people judged different, newest first, with the number of HITs that each closed."""
    rows = BrokenBridge.objects.filter(project=project).select_related("hit__batch")
    rows = (
        rows.defer("hit__payload")
        .annotate(count=Count("closed", filter=Q(closed__hit__excluded_at__isnull=False)))
        .order_by("-pk")
    )
    return render(
        request,
        "bridges/bridges.html",
        {
            "project": project,
            "section": "batches",
            "breadcrumbs": section_breadcrumbs(project, "batches", _("Broken bridges")),
            "page": Paginator(rows, 50).get_page(request.GET.get("page")),
            "bridges": BrokenBridge.objects.filter(project=project, undone_at__isnull=True).count(),
            "hits": ClosedHit.objects.filter(bridge__project=project, hit__excluded_at__isnull=False).count(),
        },
    )


@member_action(roles.RUN)
def undo(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Restore the HITs that a bridge closed."""
    row = get_object_or_404(BrokenBridge, project=project, pk=pk)
    with refusal_as_message(request):
        restored = bridges.undo(row)
        text = ngettext("%(n)s HIT is offered again.", "%(n)s HITs are offered again.", restored)
        messages.success(request, text % {"n": restored})
    return see_other("broken-bridges", project.slug)
