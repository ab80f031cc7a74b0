// A composition as posted fields and as a stored draft, and where work on it stands.
import assert from "node:assert/strict";
import { test } from "node:test";

import { alike, fieldsOf, stageOf, stateOf, stateOfDraft } from "../../tasks/compose/static/state.js";

const DRAFT = { bridges: ["same", "same"], question: "Who sailed the Grey Petrel?", overrides: { long: "it is a list" }, pasted: 0.5 };

test("a state goes through the form and comes back", () => {
  const state = stateOfDraft(DRAFT, 3);
  assert.deepEqual(state.bridges, ["same", "same", ""]);
  assert.equal(state.pasted, 14);
  assert.deepEqual(stateOf(fieldsOf(state), 3), state);
});

test("an empty draft is an empty state", () => {
  assert.deepEqual(stateOfDraft(null, 1), { bridges: [""], why: "", question: "", overrides: {}, pasted: 0 });
  assert.deepEqual(stateOf(new URLSearchParams(), 1), stateOfDraft(undefined, 1));
});

test("two sets of fields say the same with other spaces and empty reasons", () => {
  const fields = fieldsOf(stateOfDraft(DRAFT, 2));
  const other = fieldsOf(stateOfDraft({ ...DRAFT, question: "Who  sailed the Grey Petrel? ", overrides: { ...DRAFT.overrides, short: " " } }, 2));
  assert.ok(alike(fields, other));
  assert.ok(!alike(fields, fieldsOf(stateOfDraft({ ...DRAFT, bridges: ["same", "unsure"] }, 2))));
  assert.ok(!alike(fields, fieldsOf(stateOfDraft({ ...DRAFT, overrides: {} }, 2))));
});

test("bridges are judged in order, one that does not hold ends it, and then the question is written", () => {
  assert.deepEqual(stageOf(["", ""]), { name: "judging", bridge: 1 });
  assert.deepEqual(stageOf(["same", ""]), { name: "judging", bridge: 2 });
  assert.deepEqual(stageOf(["same", "different"]), { name: "aside", bridge: 2 });
  assert.deepEqual(stageOf(["unsure", ""]), { name: "aside", bridge: 1 });
  assert.deepEqual(stageOf(["same", "same"]), { name: "writing", bridge: 0 });
});
