// The answer page: selecting text sets the answer, ticks say what it rests on, and the list of paragraphs can be
// searched, sorted and walked through by keys.
import { alike, AnswerForm, changedEarly, fieldsOf, isGiven, lacksConfidence, lacksDate, stateOf, stateOfDraft } from "./answer_form.js";
import { showAnswer, sourceOf, takesOwnWords } from "./answer_view.js";
import { showMissing, startFrame } from "./frame.js";
import { onItem } from "./item.js";
import { bind, bindPattern, typeInto } from "./keys.js";
import { slice } from "./offsets.js";
import { bindOptions, chooseOption, chooseRadio, showOption } from "./options.js";
import { textOf } from "./ranges.js";
import { Reading } from "./reading.js";
import { reveal } from "./scrolling.js";
import { announce, sentence } from "./texts.js";
import { TypedAnswer } from "./typed_answer.js";
import { bindUndoButtons } from "./undo_buttons.js";

let form;
let fixed;
let answer;
let asksFirst; // whether there is an answer at all
let reading;
let list;
let typed;

function refresh() {
  const state = answer.read();
  reading.showTicks();
  const found = typed.found(state);
  showAnswer(state, found, { form, list, settled: reading.settled, undoable: answer.history.length > 0 });
  showMissing(missing(state, found));
  reading.showView();
  showOption(form);
  typed.paint(found);
}

function missing(state, found) {
  const things = [];
  if (asksFirst && !state.answerable) return [{ field: "answerable", text: sentence("missing-answerable") }];
  if (state.answerable === "no") return things;
  if (!isGiven(state) || (state.kind === "text" && !found)) things.push({ field: "text", text: sentence("missing-answer") });
  else if (found && !found.place && !takesOwnWords()) things.push({ field: "text", text: sentence("missing-place") });
  const supported = state.support.length || state.facts.length || state.kind === "none";
  const place = document.querySelector("#control-fact, #control-support");
  if (place && !supported) things.push({ field: place.id.slice("control-".length), text: sentence("missing-support") });
  if (lacksDate(form, state)) things.push({ field: "as_of", text: sentence("missing-date") });
  if (lacksConfidence(form, state)) things.push({ field: "confidence", text: sentence("missing-confidence") });
  return things;
}

function choosePlace(place) {
  const text = textOf(list.at(place.paragraph).text);
  answer.setSpan({ ...place, text: slice(text, place.start, place.end) });
  announce(sourceOf(answer.read(), typed.found(answer.read()), list));
}

/** The next (1) or the previous (-1) of several places of a typed answer; false if there is only one. */
function stepPlace(step) {
  const found = typed.found(answer.read());
  if (fixed || !(found?.places.length > 1)) return false;
  const count = found.places.length;
  const place = found.places[(found.at + step + count) % count];
  list.unfold(place.paragraph);
  choosePlace(place);
  reveal(typed.rangeAt(place));
  return true;
}

function clickPlace(event) {
  const found = fixed ? null : typed.found(answer.read());
  if (!(found?.places.length > 1) || !document.getSelection().isCollapsed) return;
  const place = typed.placeUnder(found, event);
  if (place) choosePlace(place);
}

/** Where the page asks first whether there is an answer, one can be given only once there is. */
function isAsked() {
  return !asksFirst || answer.read().answerable === "yes";
}

/** Why no words can be the answer now; where there are options there are none to select. */
function refusal() {
  if (!isAsked()) return sentence("answerable-first");
  return answer.words ? "" : sentence("select-first");
}

/** The place of the answer, if it was selected. */
function placeNow() {
  const state = answer.read();
  return state.kind === "span" ? state : null;
}

function choose(name, value) {
  return () => (name === "answerable" || isAsked()) && chooseRadio(form, name, value);
}

function bindKeys() {
  reading.bindKeys();
  bind("type", () => isAsked() && typeInto(document.getElementById("answer-text")));
  bind("confidence", () => document.getElementById("confidence")?.focus());
  if (fixed) return;
  bind("place", () => stepPlace(1));
  bind("clear", () => answer.clear());
  bind("answerable", choose("answerable", "yes"));
  bind("unanswerable", choose("answerable", "no"));
  bind("yes", choose("kind", "yes"));
  bind("no", choose("kind", "no"));
  bind("none", choose("kind", "none"));
  bindPattern(/^[1-9]$/, ({ key }) => isAsked() && chooseOption(form, Number(key)));
  bind("undo", () => answer.undo());
  bind("redo", () => answer.redo());
}

function onTyping({ target }) {
  if (target.name === "confidence") answer.tell();
  if (target.name !== "text" || target.form !== form) return;
  answer.write({ ...answer.read(), kind: answer.typedKind, paragraph: null, start: null, end: null });
}

/** A choice that speaks for itself: picking an option, or going back to words that were selected. */
function onChoice({ target }) {
  if (target.name === "option") answer.write({ ...answer.read(), kind: "option" });
  if (target !== answer.words) return;
  const state = answer.read();
  answer.write({ ...state, kind: state.start === null ? "text" : "span" });
}

function bindButtons() {
  bindUndoButtons({ undo: () => answer.undo(), clear: () => answer.clear() });
  document.getElementById("next-place")?.addEventListener("click", () => stepPlace(1));
  form.addEventListener("click", ({ target }) => {
    const jump = target.closest("[data-jump]");
    if (jump) list.go(list.at(Number(jump.dataset.jump)));
    if (target.closest("[data-propose]")) acceptProposal(target.closest("[data-propose]").dataset.propose);
  });
}

function acceptProposal(value) {
  form.querySelector(`input[name=support][value="${value}"], input[name=fact][value="${value}"]`)?.click();
}

function bindForm() {
  const field = document.getElementById("answer-text");
  field?.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && stepPlace(step)) event.preventDefault();
  });
  if (field) typed.watch(field, () => answer.read());
  list.element.addEventListener("click", clickPlace);
  form.addEventListener("input", onTyping);
  form.addEventListener("change", onChoice);
  // Ticking does not sort or filter anew: what is under the finger stays there until the view is changed.
  form.addEventListener("answer:change", refresh);
  form.addEventListener("draft:restore", ({ detail }) => answer.set(stateOf(detail.fields)));
  form.addEventListener("draft:load", ({ detail }) => answer.set(stateOfDraft(detail.draft)));
}

onItem(() => {
  form = document.getElementById("work");
  fixed = "readonly" in form.dataset;
  answer = new AnswerForm(form);
  asksFirst = form.querySelector("input[name=answerable]") !== null;
  reading = new Reading(form, {
    changed: () => refresh(),
    refusal,
    now: placeNow,
    take: (place, text) => answer.setSpan({ ...place, text }),
  });
  list = reading.list;
  typed = new TypedAnswer(list, {
    changed: () => refresh(),
    words: (found) => found ? sourceOf(answer.read(), found, list) : "",
  });
  const early = changedEarly(form);
  answer.write(stateOfDraft(JSON.parse(document.getElementById("draft").textContent)));
  bindForm();
  bindButtons();
  reading.bindButtons();
  bindOptions();
  reading.bindPointer();
  bindKeys();
  list.apply();
  startFrame({ alike, fieldsOf: (stored) => fieldsOf(stateOfDraft(stored)) });
  if (early) answer.set(early); // now that a change is saved
});
