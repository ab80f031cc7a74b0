// Offsets of code points, which are stored, and of UTF-16 units, which a browser counts.
import assert from "node:assert/strict";
import { test } from "node:test";

import { slice, splitsPair, toCodePoint, toUnit, trimmed, wholeWords } from "../../static/js/offsets.js";

const TEXTS = ["", "plain", "a🜁b", "🜁🜂", "é e\u0301 🜁\u0301", "\ud83d lone", "lone \udf01"];

test("each code point is found at its unit, and the unit leads back to it", () => {
  for (const text of TEXTS) {
    const units = [...text].reduce((all, sign) => [...all, all.at(-1) + sign.length], [0]);
    units.forEach((unit, point) => {
      assert.equal(toUnit(text, point), unit);
      assert.equal(toCodePoint(text, unit), point);
      assert.equal(splitsPair(text, unit), false);
    });
  }
});

test("an offset inside a code point counts as the one before it", () => {
  assert.equal(splitsPair("a🜁b", 2), true);
  assert.equal(toCodePoint("a🜁b", 2), 1);
});

test("offsets behind the end are the end", () => {
  assert.equal(toUnit("a🜁", 9), 3);
  assert.equal(toCodePoint("a🜁", 9), 2);
});

test("a slice is what Python cuts out at the same code points", () => {
  assert.equal(slice("a🜁bc", 1, 3), "🜁b");
  assert.equal(slice("a🜁bc", 3, 3), "");
});

test("a selection loses white space at its ends, and halves of code points become whole", () => {
  assert.deepEqual(trimmed(" ab ", 0, 4), { start: 1, end: 3 });
  assert.deepEqual(trimmed("a🜁b", 2, 4), { start: 1, end: 4 });
  assert.deepEqual(trimmed("a🜁b", 0, 2), { start: 0, end: 3 });
  assert.equal(trimmed("a \u00a0b", 1, 3), null);
});

test("a selection grows to whole words and numbers, but not between a digit and a letter", () => {
  const grown = (text, start, end) => {
    const range = wholeWords(text, { start, end });
    return text.slice(range.start, range.end);
  };
  assert.equal(grown("the harbour town", 6, 9), "harbour");
  assert.equal(grown("in the 1990s", 8, 11), "1990");
  assert.equal(grown("Zoe\u0308 Quell", 1, 3), "Zoe\u0308");
  assert.equal(grown("東京都庁", 1, 2), "京");
});
