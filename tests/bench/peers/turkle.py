"""Turkle: a Django site with its application and SQLite, behind gunicorn with as many processes and threads as ours."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from tests.bench.peers.peer import Peer, in_peers_way
from tests.bench.peers.people import Person
from tests.process.annotators import TOKEN

SHOWN = re.compile(r"Tower (\d+)")
IFRAME = re.compile(r'<iframe src="([^"]+)"')
SITE = """
from pathlib import Path

ALLOWED_HOSTS, SECRET_KEY, USE_TZ, STATIC_URL = ["*"], "not a secret: listens on this machine only", True, "/static/"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(__file__).parent / "db.sqlite3"}}
DEFAULT_AUTO_FIELD, ROOT_URLCONF, X_FRAME_OPTIONS = "django.db.models.AutoField", "site_urls", "SAMEORIGIN"
NAMED = [f"django.template.context_processors.{n}" for n in ("debug", "i18n", "media", "request", "static", "tz")]
NAMED += ["django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
              "OPTIONS": {"context_processors": [*NAMED, "turkle.utils.turkle_vars"]}}]
MIDDLEWARE = [
    "django.middleware.common.CommonMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
INSTALLED_APPS = [f"django.contrib.{n}" for n in ("auth", "contenttypes", "sessions", "messages", "staticfiles")]
INSTALLED_APPS += ["turkle", "django.contrib.admin", "rest_framework", "rest_framework.authtoken", "turkle.api"]
INSTALLED_APPS += ["guardian", "djaa_list_filter2"]
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend", "guardian.backends.ObjectPermissionBackend"]
TURKLE_AUTO_ACCEPT_DEFAULT = True
"""
URLS = """
from django.contrib import admin
from django.urls import include, path

urlpatterns = [path("admin/", admin.site.urls), path("", include("django.contrib.auth.urls"))]
urlpatterns += [path("", include("turkle.urls"))]
"""
WSGI = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "site_settings"
from django.core.wsgi import get_wsgi_application
application = get_wsgi_application()
"""
SIGNED_IN = """
def signed_in(number):
    user = User.objects.create(username=f"worker-{number}", password="!")
    store = SessionStore()
    store["_auth_user_id"], store["_auth_user_backend"] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
    store["_auth_user_hash"] = user.get_session_auth_hash()
    store.create()
    return user, store.session_key
"""
FILL = (
    """
import io, json, sys
import django
django.setup()
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from turkle.models import Batch, Project
"""
    + SIGNED_IN
    + """
people, wanted, template = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
project = Project(name="peers", html_template=template)
project.process_template()
project.save()
batch = Batch.objects.create(project=project, name="peers", assignments_per_task=wanted, filename="peers.csv")
with transaction.atomic(), open("records.csv", newline="") as file:
    batch.create_tasks_from_csv(file)
print(json.dumps([batch.pk, [signed_in(number)[1] for number in range(people)]]))
"""
)
FORM = '${html}<input name="answer"><input name="support">'


class Turkle(Peer):
    title, packages = "Turkle", ["turkle", "gunicorn"]
    person, wanted = f"{__name__}:Working", 3

    def environment(self) -> dict[str, str]:
        return super().environment() | {"DJANGO_SETTINGS_MODULE": "site_settings", "PYTHONPATH": str(self.folder)}

    def prepare(self, records: list[dict[str, Any]], people: int) -> None:
        import csv

        for name, text in (("site_settings", SITE), ("site_urls", URLS), ("site_wsgi", WSGI)):
            (self.folder / f"{name}.py").write_text(text)
        with (self.folder / "records.csv").open("w", newline="") as out:
            csv.writer(out).writerows([["html"], *([in_peers_way(record)] for record in records)])
        self.python("-m", "django", "migrate", "--verbosity", "0")
        self.batch, self.sessions = json.loads(self.python("-c", FILL, str(people), str(self.wanted), FORM))

    def command(self) -> list[str]:
        return ["gunicorn", "--workers=2", "--threads=8", f"--bind=127.0.0.1:{self.port}", "site_wsgi"]

    def stored(self) -> Iterator[tuple[str, str]]:
        with sqlite3.connect(self.folder / "db.sqlite3") as database:
            rows = database.execute(
                "SELECT u.username, a.answers FROM turkle_taskassignment a "
                "JOIN auth_user u ON u.id = a.assigned_to_id WHERE a.completed"
            )
            for username, answers in rows:
                yield self.sessions[int(username.split("-")[1])], json.loads(answers)["answer"].split()[1]


class Working(Person):
    """The next task is accepted by redirects, and stands in a frame; the form's answer leads to the next one."""

    def sign_in(self) -> None:
        self.cookies = {"sessionid": self.session, "csrftoken": TOKEN}
        self._next = f"/batch/{self._batch}/accept_next_task/"

    def show(self) -> str | None:
        _, self._place, _ = self.ask("GET", self._next)
        while self._place == "/":  # nothing is left, or its database was busy
            _, _, page = self.ask("GET", "/")
            if "database is busy" not in page or time.monotonic() > self._end:
                return None
            self._out.count("busy")
            _, self._place, _ = self.ask("GET", self._next)
        _, _, page = self.ask("GET", self._place)
        _, _, frame = self.ask("GET", IFRAME.findall(page)[0].replace("&amp;", "&"))
        return str(SHOWN.findall(frame)[0])

    def submit(self, record: str) -> None:
        fields = {"answer": f"Tower {record}", "support": "0", "csrfmiddlewaretoken": TOKEN}
        status, self._next, page = self.ask("POST", self._place, urlencode(fields))
        if status != 302:
            self._out.write({"unexpected": status, "page": page[:500]})
