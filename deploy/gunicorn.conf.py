"""How gunicorn serves Hopscribe, here and in production: `gunicorn -c deploy/gunicorn.conf.py`.

From the environment: BIND (or PORT), WEB_WORKERS, WEB_THREADS, FORWARDED_ALLOW_IPS, ACCESS_LOG.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

wsgi_app = "annotation.wsgi:application"
# Not resolved: where the checkout is a link to a release, a reload goes where the link points by then.
chdir = str(Path(__file__).absolute().parent.parent)
bind = os.environ.get("BIND") or f"127.0.0.1:{os.environ.get('PORT') or 8000}"

worker_class = "annotation.operations.buffering_worker.BufferingWorker"
worker_connections = 800  # open at once in each process, below the usual limit of 1,024 files
workers = int(os.environ.get("WEB_WORKERS") or 2)
threads = int(os.environ.get("WEB_THREADS") or 8)
preload_app = False  # a connection or a thread made before the fork would be shared by all workers
max_requests = 20_000
max_requests_jitter = 4_000
timeout = 60
graceful_timeout = 30
if Path("/dev/shm").is_dir():  # noqa: S108 - where a heartbeat never waits for a disk
    worker_tmp_dir = "/dev/shm"  # noqa: S108

# Where the web processes count together for /metrics: a folder of this server's own, new at each start.
if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    with contextlib.suppress(OSError):  # where nothing can be written each process tells its own figures
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="hopscribe-metrics-")

forwarded_allow_ips = os.environ.get("FORWARDED_ALLOW_IPS") or "127.0.0.1,::1"
accesslog = os.environ.get("ACCESS_LOG") or None  # off: addresses of assignments are nobody's business
loglevel = "warning"
control_socket_disable = True


def on_starting(server: Any) -> None:
    """Say every misconfiguration before serving; errors keep the server from starting.

    In a process of its own: what the server had imported, its processes would go on with after a reload for an upgrade.
    """
    command = [sys.executable, "manage.py", "check", "--database", "default"]
    if subprocess.run(command, cwd=chdir, check=False).returncode:
        sys.exit(1)


def post_worker_init(worker: Any) -> None:
    """Without a broker, each worker process also works off the outbox."""
    from django.conf import settings

    from annotation.operations import background_thread

    if settings.EMBEDDED_JOBS:
        background_thread.start()


def child_exit(server: Any, worker: Any) -> None:
    """What a web process counted stays; its live figures go."""
    from prometheus_client import multiprocess

    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        multiprocess.mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    counted = Path(os.environ.get("PROMETHEUS_MULTIPROC_DIR", ""))
    if counted.name.startswith("hopscribe-metrics-"):
        shutil.rmtree(counted, ignore_errors=True)
