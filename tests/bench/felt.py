"""What a worker feels: from the key that submits to the next item, painted and operable, in a browser."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from statistics import median, quantiles
from typing import Any

from tests.bench import records
from tests.bench.bench import Bench, Result
from tests.browser.chromium import ARGUMENTS, CHROMIUM, MISSING
from tests.process.installation import Installation

HITS, OTHERS, ITEMS = 2_000, 7, 25
PAUSE = 1.0  # seconds between two items of each of the others
LATENCIES = (0, 40, 150)  # milliseconds of the network
READ = 700  # milliseconds between an answer and its submission; its draft is saved by then
START = "(end) => [...document.forms].find(({action}) => action.endsWith(end)).requestSubmit()"
FELT = """() => {
    const before = document.getElementById("work").dataset.assignment;
    window.felt = new Promise((resolve) => {
        let began = 0;
        const press = ({key, timeStamp}) => { if (key === "Enter") began ||= timeStamp; };
        addEventListener("keydown", press, {capture: true});
        const look = () => requestAnimationFrame(() => {
            const now = document.getElementById("work")?.dataset.assignment;
            if (now && now !== before) setTimeout(() => resolve(performance.now() - began));
            else look();
        });
        look();
    });
}"""


def felt(bench: Bench) -> Iterator[Result]:
    """One worker in Chromium beside others over HTTP, on SQLite, at several latencies of the network."""
    if CHROMIUM is None:
        print(f"       {MISSING}")
        return
    file = records.write_twenty_paragraphs(bench.folder / "felt.jsonl", HITS)
    with bench.installation("SQLite") as made:
        world = made.world("build", f"hits={HITS}", "assignments=3", f"workers={OTHERS + 1}", f"file={file}")
        made.start_web()
        for latency in LATENCIES:
            times = _worked(made, bench, world, latency)
            print(f"       {latency} ms of latency: median {median(times):.0f} ms, slowest {max(times):.0f} ms")
            what = f"from Submit to the next item, 95th percentile, {latency} ms of latency"
            yield Result(what, quantiles(times, n=20)[-1], 50, unit="ms")


def _worked(made: Installation, bench: Bench, world: dict[str, Any], latency: int) -> list[float]:
    """Milliseconds of each item, as the worker in the browser felt them."""
    plan, out = bench.folder / f"felt-{latency}.json", bench.folder / f"felt-{latency}.jsonl"
    others = {"sessions": world["sessions"][1:], "batch": world["batch"], "port": made.port, "pause": PAUSE}
    plan.write_text(json.dumps(others | {"seconds": ITEMS * 2}))
    process = made.spawn([sys.executable, "-m", "tests.process.annotators", str(plan), str(out)], log="others.log")
    try:
        return _in_the_browser(made, world, latency)
    finally:
        process.kill()
        process.wait()


def _in_the_browser(made: Installation, world: dict[str, Any], latency: int) -> list[float]:
    from playwright.sync_api import sync_playwright

    url = f"http://127.0.0.1:{made.port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": "sessionid", "value": world["sessions"][0], "url": url}])
        page = context.new_page()
        page.goto("/work/")
        page.evaluate(START, f"/batches/{world['batch']}/start/")
        page.wait_for_selector("#work")
        network = {"offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", network)
        times = [_item(page) for _ in range(ITEMS + 1)]
        browser.close()
    return times[1:]  # the first one warms up


def _item(page: Any) -> float:
    """Answer the item that is shown; milliseconds from the key to the next one."""
    page.fill("#answer-text", page.locator("[data-text]").first.inner_text()[:20].strip())
    page.check("#support-0")
    page.wait_for_timeout(READ)
    page.evaluate(FELT)
    page.keyboard.press("Control+Enter")
    return float(page.evaluate("window.felt"))
