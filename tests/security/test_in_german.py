"""Every page is there in the second language too, and its numbers stay numbers."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.security.routes import TABLE, urls
from tests.security.world import World

A_DECIMAL_COMMA = re.compile(r'(?:value|min|max|step|x|y|x1|x2|y1|y2|cx|cy|r|width|height)="\d*,\d+"')


@pytest.mark.soak
@pytest.mark.parametrize("who", ["alice", "bob"])
def test_every_page_is_there_in_german(who: str, world: World) -> None:
    client = Client(headers={"accept-language": "de"})
    client.force_login(world.users[who])
    shown = 0
    for name, url in urls(world).items():
        if "GET" not in TABLE[name].statuses or who not in TABLE[name].allowed:
            continue
        response = client.get(url)
        html = response.getvalue().decode(errors="replace")
        if "<html" in html and response.status_code == 200 and name not in {"html-question", "report-chart"}:
            assert '<html lang="de"' in html, url
            assert not A_DECIMAL_COMMA.findall(html), url
            shown += 1
    assert shown > (40 if who == "alice" else 10)
