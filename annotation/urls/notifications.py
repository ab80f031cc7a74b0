"""URLs: notices and messages."""

from django.urls import URLPattern, path

from annotation.urls.prefixes import PROJECT
from annotation.views.notifications import messages, notices

pages: list[URLPattern] = [
    path(f"{PROJECT}messages/", messages.message_list, name="messages"),
    path(f"{PROJECT}messages/<slug:public_id>/", messages.thread, name="thread"),
    path(f"{PROJECT}people/annotators/<int:pk>/messages/", messages.worker_thread, name="worker-messages"),
    path("assignments/<slug:public_id>/messages/", messages.my_thread, name="my-thread"),
    path("notices/", notices.notices, name="notices"),
    path("notices/read/", notices.notices_read, name="notices-read"),
    path("notices/kinds/", notices.notices_kinds, name="notices-kinds"),
    path("notices/<int:pk>/open/", notices.notice_open, name="notice-open"),
]
