"""URLs: what a worker does: finding work, assignments, practice."""

from django.urls import URLPattern, path

from annotation.views.people import qualification_test
from annotation.views.work import assignment_page, built_in_marketplace, feedback, practice, worker_home

pages: list[URLPattern] = [
    path("work/", worker_home.work, name="work"),
    path("work/history/", worker_home.history, name="history"),
    path("work/start/<slug:token>/", built_in_marketplace.experiment, name="experiment-start"),
    path("work/batches/<int:pk>/start/", assignment_page.start, name="batch-start"),
    path("work/batches/<int:pk>/instructions/", assignment_page.batch_instructions, name="batch-instructions"),
    path("work/batches/<int:pk>/practice/<int:number>/", practice.practice, name="practice"),
    path("work/batches/<int:pk>/practice/<int:number>/done/", practice.practice_done, name="practice-done"),
    path("work/batches/<int:pk>/practice/<int:number>/live/<slug:name>/", practice.practice_live, name="practice-live"),
    path("work/batches/<int:pk>/done/", worker_home.batch_done, name="batch-done"),
    path("feedback/<int:pk>/", feedback.feedback, name="feedback"),
    path("assignments/<slug:public_id>/", assignment_page.assignment, name="assignment"),
    path("assignments/<slug:public_id>/submit/", assignment_page.submit, name="submit"),
    path("assignments/<slug:public_id>/next/", assignment_page.prefetch_next, name="prefetch"),
    path("assignments/<slug:public_id>/draft/", assignment_page.draft, name="draft"),
    path("assignments/<slug:public_id>/return/", assignment_page.return_assignment, name="return"),
    path("assignments/<slug:public_id>/skip/", assignment_page.skip, name="skip"),
    path("assignments/<slug:public_id>/take-up/", assignment_page.take_up, name="take-up"),
    path("assignments/<slug:public_id>/extend/", assignment_page.extend, name="extend"),
    path("assignments/<slug:public_id>/report-problem/", assignment_page.report_problem, name="report-problem"),
    path("assignments/<slug:public_id>/back/", assignment_page.back, name="back"),
    path("assignments/<slug:public_id>/live/<slug:name>/", assignment_page.live, name="live"),
    path("marketplace/", built_in_marketplace.marketplace, name="marketplace"),
    path("marketplace/<int:pk>/", built_in_marketplace.group, name="marketplace-group"),
    path("marketplace/<int:pk>/start/", built_in_marketplace.group_start, name="marketplace-start"),
    path("marketplace/hits/<slug:public_id>/", built_in_marketplace.hit, name="marketplace-hit"),
    path("marketplace/hits/<slug:public_id>/accept/", built_in_marketplace.accept, name="marketplace-accept"),
    path("marketplace/automatic/", built_in_marketplace.automatic, name="marketplace-automatic"),
    path("qualification-tests/<slug:public_id>/", qualification_test.qualification_test, name="qualification-test"),
]
