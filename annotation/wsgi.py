"""The WSGI application that the web server runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.settings")
application = get_wsgi_application()

from annotation import events  # noqa: E402 - needs the apps

events.load()  # now, or the first response would wait for it
