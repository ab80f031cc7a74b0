"""Run the production web server on this machine for a while, for the demo and dry runs."""

import errno
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings


class NotServed(Exception):
    """The web server did not start; `str()` says why."""


LOOPBACK, EVERY = "127.0.0.1", "0.0.0.0"  # noqa: S104


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether no process listens on this port of the host. Raises NotServed if this machine has no such address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as failure:
            if isinstance(failure, socket.gaierror) or failure.errno == errno.EADDRNOTAVAIL:
                raise NotServed(f"{host} is no IPv4 address of this computer. Give {EVERY} for all it has.") from None
            return False
    return True


def is_local(host: str) -> bool:
    """Whether only this machine reaches a web server that listens there."""
    return host in settings.LOCAL_HOSTS


def network_name(host: str) -> str:
    """How others of the network reach a web server that listens on this host of ours. Raises NotServed without one."""
    if host != EVERY:
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the address from which a packet would leave
        own = str(probe.getsockname()[0])
        if not own.startswith("127."):
            return own
    raise NotServed(f"This computer is in no network. Give its address instead of {EVERY}, or none.")


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def gunicorn() -> list[str]:
    """The command of the production web server; it is to run in ROOT."""
    return [sys.executable, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py"]


def of_this_home() -> dict[str, str]:
    """The environment of a web server whose data and log are in HOPSCRIBE_VAR."""
    log = {"LOG_FILE": str(settings.VAR / "logs" / "hopscribe.log")}
    return log | os.environ | {"HOPSCRIBE_VAR": str(settings.VAR)}


def of_this_machine(port: int) -> dict[str, str]:
    """The environment of a web server that only this machine reaches, on this port."""
    return {"PUBLIC_URL": f"http://localhost:{port}"} | of_this_home() | {"BIND": f"127.0.0.1:{port}"}


def of_this_network(port: int, host: str) -> dict[str, str]:
    """The environment of a web server that others of the network reach, over plain HTTP. Raises NotServed."""
    name = network_name(host)
    own = {"BIND": f"{host}:{port}", "PUBLIC_URL": f"http://{name}:{port}"}
    # the key of the files in VAR, which is read only where nobody else is let in
    own |= {"ALLOWED_HOSTS": ",".join([name, *settings.LOCAL_HOSTS]), "HTTPS": "0", "SECRET_KEY": settings.SECRET_KEY}
    return of_this_home() | own


class Server(subprocess.Popen[bytes]):
    """A running production web server, on this machine only unless `host` is an address of the network.

    `base`: how this machine reaches it.
    """

    def __init__(self, port: int, host: str = LOOPBACK) -> None:
        self.port = port
        self.base = f"http://{LOOPBACK if is_local(host) or host == EVERY else host}:{port}"
        environment = of_this_machine(port) if is_local(host) else of_this_network(port, host)
        super().__init__(gunicorn(), cwd=Path(settings.ROOT), env=environment)


@contextmanager
def served(port: int, host: str = LOOPBACK) -> Iterator[Server]:
    """Start a server and stop it at the end. Raises NotServed if it does not answer."""
    server = Server(port, host)
    try:
        for _ in range(150):  # times 0.2 seconds: the 30 of the message below
            if answers(server.base):
                break
            if server.poll() is not None:
                raise NotServed("The web server did not start; its message is above.")
            time.sleep(0.2)
        else:
            raise NotServed("The web server did not answer within 30 seconds.")
        yield server
    finally:
        server.terminate()
        server.wait()


def answers(base: str) -> bool:
    """Whether /healthz says 200."""
    try:
        with urllib.request.urlopen(f"{base}/healthz", timeout=2) as response:  # noqa: S310
            return bool(response.status == 200)
    except OSError:
        return False
