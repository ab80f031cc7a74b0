"""Addresses: a batch's report and its tables and charts as files, tables of derived datasets, and comparisons."""

from django.urls import URLPattern, path

from annotation.views import comparing, documents, report_files, reports

REPORT = "projects/<slug:slug>/batches/<slug:batch>/report/"

pages: list[URLPattern] = [
    path(REPORT, reports.report, name="report"),
    path(f"{REPORT}refresh/", reports.report_refresh, name="report-refresh"),
    path(f"{REPORT}progress/", reports.report_progress, name="report-progress"),
    path(f"{REPORT}tables/<slug:name>.<slug:suffix>", report_files.report_table, name="report-table"),
    path(f"{REPORT}charts/<slug:name>.svg", report_files.report_chart, name="report-chart"),
    path(
        "projects/<slug:slug>/datasets/<slug:name>/tables/<slug:table>.<slug:suffix>",
        documents.dataset_table,
        name="dataset-table",
    ),
    path("projects/<slug:slug>/compare/", comparing.compare, name="compare"),
    path("projects/<slug:slug>/compare/chart.svg", comparing.compare_chart, name="compare-chart"),
    path("projects/<slug:slug>/compare/<slug:name>.<slug:suffix>", comparing.compare_table, name="compare-table"),
]
