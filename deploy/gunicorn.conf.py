"""How gunicorn serves Hopscribe, here and in production: `gunicorn -c deploy/gunicorn.conf.py`.

From the environment: BIND (or PORT), WEB_WORKERS, WEB_THREADS, FORWARDED_ALLOW_IPS, ACCESS_LOG.
"""

import os
from pathlib import Path
from typing import Any

wsgi_app = "annotation.wsgi:application"
chdir = str(Path(__file__).resolve().parent.parent)
bind = os.environ.get("BIND") or f"127.0.0.1:{os.environ.get('PORT') or 8000}"

worker_class = "gthread"
workers = int(os.environ.get("WEB_WORKERS") or 2)
threads = int(os.environ.get("WEB_THREADS") or 8)
preload_app = False  # a connection or a thread made before the fork would be shared by all workers
max_requests = 20_000
max_requests_jitter = 4_000
timeout = 60
graceful_timeout = 30
keepalive = 5
if Path("/dev/shm").is_dir():  # noqa: S108 - where a heartbeat never waits for a disk
    worker_tmp_dir = "/dev/shm"  # noqa: S108

forwarded_allow_ips = os.environ.get("FORWARDED_ALLOW_IPS") or "127.0.0.1,::1"
accesslog = os.environ.get("ACCESS_LOG") or None  # off: addresses of assignments are nobody's business
loglevel = "warning"
control_socket_disable = True


def on_starting(server: Any) -> None:
    """Say every misconfiguration before serving; errors keep the server from starting."""
    import django
    from django.core.management import call_command

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation.settings")
    django.setup()
    call_command("check", databases=["default"])


def post_worker_init(worker: Any) -> None:
    """Without a broker, each worker process also works off the outbox."""
    from django.conf import settings

    from annotation import embedded

    if settings.EMBEDDED_JOBS:
        embedded.start()
