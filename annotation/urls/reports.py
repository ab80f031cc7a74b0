"""URLs: reports, their tables and charts, comparisons."""

from django.urls import URLPattern, path

from annotation.urls.prefixes import BATCH, DATASET, PROJECT
from annotation.views.data import datasets
from annotation.views.reports import (
    batch_report,
    comparisons,
    experiments,
    figure_index,
    power_plan,
    preregistration,
    report_export,
    report_files,
)

REPORT = f"{BATCH}report/"

pages: list[URLPattern] = [
    path(f"{BATCH}workers/", batch_report.batch_workers, name="batch-workers"),
    path(REPORT, batch_report.report, name="report"),
    path(f"{REPORT}open/", batch_report.report_open, name="report-open"),
    path(f"{REPORT}refresh/", batch_report.report_refresh, name="report-refresh"),
    path(f"{REPORT}follow-up/", batch_report.report_follow_up, name="report-follow-up"),
    path(f"{REPORT}progress/", batch_report.report_progress, name="report-progress"),
    path(f"{REPORT}export/<slug:form>/", report_export.report_export, name="report-export"),
    path(f"{REPORT}tables/<slug:name>.<slug:suffix>", report_files.report_table, name="report-table"),
    path(f"{REPORT}charts/<slug:name>.svg", report_files.report_chart, name="report-chart"),
    path(f"{DATASET}tables/<slug:table>.<slug:suffix>", datasets.dataset_table, name="dataset-table"),
    path(f"{BATCH}preregistration/", preregistration.preregister, name="preregistration"),
    path(f"{BATCH}preregistration/file/", preregistration.preregistration_file, name="preregistration-file"),
    path("figures/", figure_index.figures, name="figures"),
    path(f"{PROJECT}power/", power_plan.power, name="power"),
    path(f"{PROJECT}experiments/", experiments.experiments, name="experiments"),
    path(f"{PROJECT}experiments/<slug:name>/", experiments.experiment, name="experiment"),
    path(f"{PROJECT}experiments/<slug:name>/scores/", experiments.experiment_scores, name="experiment-scores"),
    path(f"{PROJECT}experiments/<slug:name>/remove/", experiments.experiment_remove, name="experiment-remove"),
    path(f"{PROJECT}compare/", comparisons.compare, name="compare"),
    path(f"{PROJECT}compare/job/", comparisons.compare_by_job, name="compare-by-job"),
    path(f"{PROJECT}compare/chart.svg", comparisons.compare_chart, name="compare-chart"),
    path(f"{PROJECT}compare/<slug:name>.<slug:suffix>", comparisons.compare_table, name="compare-table"),
]
