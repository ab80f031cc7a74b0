"""Server CPU of calls of the MTurk API: `python -m tests.bench.mturk_calls` in an installation prints JSON.

The client signs as ever and hands each request to Django itself; only what Django does with it is counted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.test.client import ClientHandler  # noqa: E402

from tests.mturk_api.boto_clients import mturk, requester  # noqa: E402
from tests.mturk_api.worker_acts import HIT  # noqa: E402

CALLS = 200


def main() -> int:
    settings.ALLOWED_HOSTS.append("testserver")
    handler, spent = ClientHandler(), []
    handler.load_middleware()

    def handle(_handler: ClientHandler, environ: dict[str, Any]) -> Any:
        began = time.process_time()
        try:
            return handle_one(handler, environ)
        finally:
            spent.append(1000 * (time.process_time() - began))

    handle_one = ClientHandler.__call__
    ClientHandler.__call__ = handle  # type: ignore[method-assign]  # one with its middleware loaded, as a server has
    client = mturk(requester())
    made = client.create_hit(**HIT)["HIT"]
    calls: dict[str, Callable[[], object]] = {
        "CreateHIT": lambda: client.create_hit(**HIT),
        "GetHIT": lambda: client.get_hit(HITId=made["HITId"]),
        "GetAccountBalance": client.get_account_balance,
    }
    figures = {}
    for name, call in calls.items():
        spent.clear()
        for _ in range(CALLS):
            call()
        figures[name] = median(spent[CALLS // 10 :])
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
