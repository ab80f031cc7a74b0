"""The endpoint as a server of its own: the protocol at `/`, pages beside it, whatever the site's own settings are."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from tests.mturk_api.worker_acts import HIT
from tests.process.installation import SECONDS_TO_START, Installation, free_port
from tests.process.wheels import answers
from tests.waiting import until


def ready(address: str, process: Any) -> bool:
    until(lambda: answers(address) or process.poll() is not None, within=SECONDS_TO_START)
    return process.poll() is None


@pytest.fixture
def installation(tmp_path: Path, on_sqlite: str, static: Path) -> Iterator[Installation]:
    """On SQLite only: which database it is makes no difference to what is tested here."""
    made = Installation(tmp_path, on_sqlite, static=static, ready=True)
    yield made
    made.close()


@pytest.mark.soak
def test_the_endpoint_serves_boto3_and_its_page_at_its_root_without_https_or_a_name(installation: Installation) -> None:
    (installation.var / "static").unlink()  # nobody collected static files
    key = "".join(chr(ord("a") + k % 26) for k in range(60))
    installation.environment |= {"ALLOWED_HOSTS": "lab.example", "HTTPS": "1", "SECRET_KEY": key}
    made = json.loads(installation.manage("create_access_key", "ana@lab.example", "--create", "--json"))
    address = f"http://127.0.0.1:{free_port()}/"
    command = [sys.executable, "manage.py", "mturk_endpoint", "--bind", address[7:-1], "--workers", "1"]
    process = installation.spawn(command, log="endpoint.log")
    assert ready(address, process), installation.log("endpoint.log")
    with urllib.request.urlopen(address) as page:
        assert page.url == address
        assert f'endpoint_url="{address}"' in page.read().decode()
    client = boto3.client(
        "mturk",
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id=made["access_key_id"],
        aws_secret_access_key=made["secret_access_key"],
    )
    hit = client.create_hit(**HIT)["HIT"]
    assert client.get_hit(HITId=hit["HITId"])["HIT"]["HITStatus"] == "Assignable"
    assert client.get_account_balance()["AvailableBalance"] == "9999.75"
