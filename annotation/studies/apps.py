"""Studies of papers, launched and compared with what was published, as a Django app behind the engine."""

from django.apps import AppConfig


class StudiesConfig(AppConfig):
    name = "annotation.studies"

    def ready(self) -> None:
        from annotation.flow.projects import audit_log
        from annotation.studies.models import StudyRun

        audit_log.SUBJECTS[StudyRun] = lambda row: audit_log.Subject(row.project, "study", row.slug, row.study)
