// The places of a typed answer, by the cases that annotation/pure/text/spans.py is held to as well.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { placesOf } from "../../static/js/places.js";

const CASES = JSON.parse(readFileSync(new URL("../places.json", import.meta.url), "utf8"));

test("every answer is found where the server finds it", () => {
  assert.ok(CASES.length > 20);
  for (const { answer, texts, first, places } of CASES) {
    const found = placesOf(answer, texts, first).map(({ paragraph, start, end }) => [paragraph, start, end]);
    assert.deepEqual(found, places, answer);
  }
});
