// What follows from a corrected answer, and what a correction changed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { carried, difference, followed, plain } from "../../tasks/subquestions/static/rules.js";

test("a corrected answer goes wherever the old one stood as whole words, in any case", () => {
  assert.equal(carried("Where was Mara  quell born?", "Mara Quell", "Tamsin Vole"), "Where was Tamsin Vole born?");
  assert.equal(carried("Who led the Wellers of Well?", "Well", "Farrow"), "Who led the Wellers of Farrow?");
  assert.equal(carried("What is 1+1 (a|b)?", "1+1 (a|b)", "$& two"), "What is $& two?");
});

test("nothing follows from an answer that was emptied, or was never there", () => {
  assert.equal(carried("Where was Mara born?", "Mara", " "), "Where was Mara born?");
  assert.equal(carried("Where was Mara born?", " ", "Tamsin"), "Where was Mara born?");
});

test("a question follows every answer before it that was corrected", () => {
  const question = "Did Mara sail to Farrow?";
  assert.equal(followed(question, ["Mara", "Farrow"], ["Tamsin", "Farrow "]), "Did Tamsin sail to Farrow?");
  assert.equal(followed(question, ["Mara", "Farrow"], ["Tamsin", "Wells"]), "Did Tamsin sail to Wells?");
});

test("what stayed and went is the old text, what stayed and came the new one", () => {
  for (const [old, now] of [["Who built it?", "Who has built it"], ["", "new"], ["old", ""], ["a b c", "c b a"], ["é x", "e\u0301 x"]]) {
    const parts = difference(old, now);
    const joined = (...kinds) => parts.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text).join("");
    assert.equal(joined("same", "out"), old);
    assert.equal(joined("same", "in"), now);
  }
  assert.deepEqual(difference("same text", "same text"), [{ kind: "same", text: "same text" }]);
});

test("a text has single spaces", () => {
  assert.equal(plain("  a\n b\t"), "a b");
});
