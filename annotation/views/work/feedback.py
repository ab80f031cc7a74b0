"""Feedback from requesters, which a worker acknowledges before they go on."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.flow.review import worker_feedback
from annotation.models import Feedback
from annotation.registry import task_type
from annotation.tasktype import Rated, capabilities
from annotation.views.access import Request, open_batch, signed_in_form
from annotation.views.post_handling import see_other, whole_number
from annotation.views.response_words import words_of
from annotation.views.work.assignment_page import next_page


@signed_in_form
def feedback(request: Request, pk: int) -> HttpResponse:
    """The viewer's feedback; POST acknowledges it and shows the next, then goes back to the work."""
    rows = Feedback.objects.select_related("batch__project", "assignment__hit", "worker__project", "author")
    row = get_object_or_404(rows, pk=pk, worker__user=request.user, worker__project__removed_at=None)
    after = whole_number(request.POST.get("batch") or request.GET.get("batch") or "", 0)
    if request.method != "POST":
        context = {"feedback": row, "text": wording(row), "batch": row.batch, "after": after}
        return render(request, "work/feedback.html", context)
    worker_feedback.acknowledge(row)
    if after:
        batch, worker = open_batch(request, after)
        return next_page(request, worker, batch)
    following = worker_feedback.first_waiting(row.worker)
    return see_other("feedback", following.pk) if following else see_other("work")


def wording(feedback: Feedback) -> str:
    """The worker's own words that the feedback is about; "" if there are none."""
    assignment = feedback.assignment
    if assignment is None or assignment.current is None:
        return ""
    task, payload, answer = task_type(feedback.batch.task), assignment.hit.payload, assignment.current.answer
    if isinstance(task, Rated):  # whose wording is what a requester would edit, as JSON
        return words_of(task, payload, answer, to_worker=True)
    return str(capabilities.review(task, payload, answer)["text"])
