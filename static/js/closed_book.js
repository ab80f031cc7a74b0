// The answer page without paragraphs: the answer is typed or chosen.
import { alike, AnswerForm, changedEarly, fieldsOf, isGiven, lacksConfidence, lacksDate, stateOf, stateOfDraft } from "./answer_form.js";
import { showMissing, startFrame } from "./frame.js";
import { onItem } from "./item.js";
import { bind, bindPattern, typeInto } from "./keys.js";
import { bindOptions, chooseOption, chooseRadio, showOption } from "./options.js";
import { sentence } from "./texts.js";
import { bindUndoButtons, showUndoButtons } from "./undo_buttons.js";

let form;
let answer;

function refresh() {
  const state = answer.read();
  const things = isGiven(state) ? [] : [{ field: "text", text: sentence("missing-answer") }];
  if (lacksDate(form, state)) things.push({ field: "as_of", text: sentence("missing-date") });
  const unsure = state.kind !== "none" && lacksConfidence(form, state);
  if (unsure) things.push({ field: "confidence", text: sentence("missing-confidence") });
  showMissing(things);
  showOption(form);
  form.dataset.kind = state.kind;
  const blank = !state.text && state.option === null && !["yes", "no", "none"].includes(state.kind);
  showUndoButtons({ undoable: answer.history.length > 0, blank });
}

/** Typing words, or picking an option, chooses them as the kind of answer. */
function onInput({ target }) {
  if (target.name === "text") answer.write({ ...answer.read(), kind: answer.typedKind });
  if (target.name === "confidence") answer.tell();
  if (target.name === "option") answer.write({ ...answer.read(), kind: "option" });
}

function bindKeys() {
  bind("type", () => typeInto(document.getElementById("answer-text")));
  bind("confidence", () => document.getElementById("confidence")?.focus());
  bind("clear", () => answer.clear());
  for (const kind of ["yes", "no", "none"]) bind(kind, () => chooseRadio(form, "kind", kind));
  bindPattern(/^[1-9]$/, ({ key }) => chooseOption(form, Number(key)));
  bind("undo", () => answer.undo());
  bind("redo", () => answer.redo());
}

function bindForm() {
  form.addEventListener("input", onInput);
  form.addEventListener("answer:change", refresh);
  form.addEventListener("draft:restore", ({ detail }) => answer.set(stateOf(detail.fields)));
  form.addEventListener("draft:load", ({ detail }) => answer.set(stateOfDraft(detail.draft)));
  bindUndoButtons({ undo: () => answer.undo(), clear: () => answer.clear() });
}

onItem(() => {
  form = document.getElementById("work");
  answer = new AnswerForm(form);
  const early = changedEarly(form);
  answer.write(stateOfDraft(JSON.parse(document.getElementById("draft").textContent)));
  bindForm();
  bindOptions();
  if (!("readonly" in form.dataset)) bindKeys();
  refresh();
  startFrame({ alike, fieldsOf: (stored) => fieldsOf(stateOfDraft(stored)) });
  if (early) answer.set(early); // now that a change is saved
});
