"""The container's health check: exit 0 when /readyz answers 200 under a host of the site; tells what it said."""

import os
import sys
import urllib.error
import urllib.request

HOST = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0]
PORT = os.environ.get("BIND", "127.0.0.1:8000").rpartition(":")[2]
request = urllib.request.Request(f"http://127.0.0.1:{PORT}/readyz", headers={"Host": HOST})
try:
    with urllib.request.urlopen(request, timeout=4) as answer:  # noqa: S310
        sys.stdout.write(f"{answer.read().decode()}\n")
except urllib.error.HTTPError as refusal:
    sys.exit(f"/readyz: {refusal.code} {refusal.read().decode(errors='replace')[:2000]}")
except OSError as failure:
    sys.exit(f"/readyz: {failure}")
