// The page of an ablated question. First solvable or not, with answer and rationale marked in the text; then, both out
// of sight, guessable and necessary. The last decision sends the response.
import { Caret } from "../../js/caret.js";
import { showMissing, startFrame } from "../../js/frame.js";
import { bind, bindPattern } from "../../js/keys.js";
import { toggleLit } from "../../js/word_highlighting.js";
import { toCodePoint, toUnit } from "../../js/offsets.js";
import { selected, textOf, unwrap, wrap } from "../../js/ranges.js";
import { reveal } from "../../js/scrolling.js";
import { PointerSelection } from "../../js/pointer_selection.js";
import { Steady } from "../../js/press_guard.js";
import { announce, sentence } from "../../js/texts.js";
import { offerUndo, remember } from "../../js/undo.js";

const NAMES = ["solvable", "guessable", "necessary"];

const form = document.getElementById("work");
const fixed = "readonly" in form.dataset;
const { elements } = form;
const part = (name) => form.querySelector(`[data-part="${name}"]`);
const items = [...form.querySelectorAll("[data-paragraph]")].map((element, position) => ({
  element, position, text: element.querySelector("[data-text]"),
}));
const steady = new Steady();
const list = { element: document.getElementById("texts-to-read"), unfold() {}, go: ({ element }) => element.focus() };
const caret = new Caret(list, { hint: document.getElementById("caret-hint"), set: () => mark() });
// The first words that are selected are the answer; a button or a key says what others are.
const pointer = new PointerSelection(list.element, {
  find: () => (guessing ? null : selected(items.map((item) => item.text))),
  take: () => elements.text && !hasAnswer() && mark("answer"),
  busy: () => caret.on,
  keys: false,
});
let guessing = false;
let at = 0; // the paragraph in which selecting by keys begins

const valueOf = (name) => form.querySelector(`input[name="${name}"]:checked`)?.value ?? "";

/** The marked places as {paragraph, start, end}, in code points. */
function marks() {
  const told = elements.marks.value.split(" ").filter(Boolean);
  return told.map((word) => word.split(".").map(Number)).map(([paragraph, start, end]) => ({ paragraph, start, end }));
}

function hasAnswer() {
  return elements.text ? Boolean(elements.text.value.trim()) : valueOf("option") !== "";
}

function missing() {
  const found = [];
  const need = (field, name) => found.push({ field, text: sentence(`need-${name}`) });
  if (!valueOf("solvable")) need("solvable", "solvable");
  if (valueOf("solvable") === "yes" && !hasAnswer()) need("text", "answer");
  if (valueOf("solvable") === "yes" && !("optional" in elements.rationale.dataset) && !elements.rationale.value.trim()) need("rationale", "rationale");
  if (!valueOf("guessable")) need("guessable", "guessable");
  if (valueOf("guessable") === "yes" && !valueOf("necessary")) need("necessary", "necessary");
  return found;
}

function paint() {
  for (const name of ["mark-answer", "mark-rationale"]) unwrap(list.element, name);
  if (guessing) return;
  const draw = ({ paragraph, start, end }, name) => {
    const { text } = items[paragraph] ?? {};
    if (text) wrap(text, toUnit(textOf(text), start), toUnit(textOf(text), end), name);
  };
  for (const place of marks()) draw(place, "mark-rationale");
  if (elements.start?.value) {
    const [paragraph, start, end] = ["paragraph", "start", "end"].map((name) => Number(elements[name].value));
    draw({ paragraph, start, end }, "mark-answer");
  }
}

function refresh() {
  const solved = valueOf("solvable") === "yes";
  part("solving").hidden = guessing;
  part("solution").hidden = !solved;
  part("guessing").hidden = !guessing || valueOf("guessable") === "yes";
  part("needing").hidden = !guessing || valueOf("guessable") !== "yes";
  document.getElementById("step-back").hidden = !guessing;
  document.body.dataset.step = guessing ? "guessing" : "solving";
  paint();
  if (!fixed) showMissing(missing());
}

function changed() {
  form.dispatchEvent(new CustomEvent("answer:change"));
  refresh();
}

/** To the second step, if the first is complete. */
function goOn() {
  const open = missing().filter(({ field }) => !["guessable", "necessary"].includes(field));
  if (guessing) return;
  if (open.length) return announce(`${sentence("missing")} ${open.map(({ text }) => text).join(", ")}`);
  document.getSelection().removeAllRanges();
  guessing = true;
  steady.restart();
  refresh();
  announce(sentence("hidden-now"));
}

function stepBack() {
  if (!guessing) return false;
  const asked = valueOf("guessable") === "yes" ? "guessable" : "";
  for (const input of form.querySelectorAll("input[name=guessable], input[name=necessary]")) input.checked = false;
  if (!asked) guessing = false;
  steady.restart();
  changed();
  return true;
}

/** The decision that is open now. */
function current() {
  if (!guessing) return NAMES[0];
  return valueOf("guessable") === "yes" ? NAMES[2] : NAMES[1];
}

function decide(name, value) {
  const input = form.querySelector(`input[name="${name}"][value="${value}"]`);
  if (!input || input.disabled) return;
  pointer.settle();
  input.checked = true;
  steady.restart();
  changed();
  if (name === "solvable" && value === "no") goOn();
  else if (name === "necessary" || (name === "guessable" && value === "no")) form.requestSubmit();
}

const byKey = (value) => () => steady.allowed && decide(current(), value);

function placeOf({ root, start, end }) {
  const text = textOf(root);
  return {
    paragraph: items.find((item) => item.text === root).position,
    start: toCodePoint(text, start),
    end: toCodePoint(text, end),
    words: text.slice(start, end),
  };
}

/** Mark the selection as the answer, or as a part of the rationale; without a choice as what is missing. */
function mark(what = elements.text && !hasAnswer() ? "answer" : "rationale") {
  const found = fixed || guessing ? null : selected(items.map((item) => item.text));
  if (!found) return fixed || guessing ? undefined : announce(sentence("select-first"));
  const { words, ...place } = placeOf(found);
  const plain = words.split(/\s+/).join(" ");
  form.querySelector("input[name=solvable][value=yes]").checked = true;
  if (what === "answer") {
    elements.text.value = plain;
    for (const [name, value] of Object.entries(place)) elements[name].value = value;
  } else {
    addRationale(place, plain);
  }
  caret.end();
  document.getSelection().removeAllRanges();
  changed();
  return announce(sentence(`${what}-marked`, { text: plain }));
}

/** A place of the rationale; what it overlaps goes. */
function addRationale(place, plain) {
  const lines = elements.rationale.value.split("\n").filter((line) => line.trim());
  const known = marks();
  const stays = known.map((one) => one.paragraph !== place.paragraph || one.end <= place.start || place.end <= one.start);
  const aligned = known.length === lines.length;
  elements.rationale.value = [...lines.filter((_, k) => !aligned || stays[k]), plain].join("\n");
  const kept = aligned ? known.filter((_, k) => stays[k]) : [];
  elements.marks.value = [...kept, place].map((one) => `${one.paragraph}.${one.start}.${one.end}`).join(" ");
}

function clear() {
  if (fixed || guessing) return;
  for (const name of ["text", "paragraph", "start", "end", "rationale", "marks"]) if (elements[name]) elements[name].value = "";
  for (const option of form.querySelectorAll("input[name=option]")) option.checked = false;
  changed();
}

function select() {
  if (!fixed && !guessing) caret.begin(items[at]);
}

function walk() {
  at = (at + 1) % items.length;
  items[at].element.focus();
  reveal(items[at].element);
}

function bindPointer() {
  for (const button of form.querySelectorAll(".acts button")) button.addEventListener("pointerdown", (event) => event.preventDefault());
  const onClick = { "mark-answer": () => mark("answer"), "mark-rationale": () => mark("rationale"), "clear-marks": clear, "go-on": goOn, "step-back": stepBack };
  for (const [id, run] of Object.entries(onClick)) document.getElementById(id)?.addEventListener("click", run);
  form.addEventListener("click", (event) => {
    const { target, detail } = event;
    if (!detail || !NAMES.includes(target.name)) return;
    if (steady.settled(event)) decide(target.name, target.value);
    else event.preventDefault();
  });
}

function put(fields) {
  for (const control of form.querySelectorAll(".decisions :is(input, textarea)[name]")) {
    if (control.type === "radio") control.checked = fields.get(control.name) === control.value;
    else control.value = fields.get(control.name) ?? "";
  }
  guessing = false;
  refresh();
}

function alike(fields, other) {
  const told = (all) => [...all].filter(([, value]) => value).map(String).sort().join("&");
  return told(fields) === told(other);
}

function bindForm() {
  // Submit ends the step at hand; the second one is never passed over unseen.
  form.addEventListener("submit", (event) => {
    if (guessing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    goOn();
  }, { capture: true });
  form.addEventListener("input", ({ target }) => {
    if (target.name === "text") for (const name of ["paragraph", "start", "end"]) elements[name].value = "";
    if (target.name === "rationale") elements.marks.value = "";
    refresh();
  });
  form.addEventListener("change", refresh);
  form.addEventListener("draft:restore", ({ detail }) => put(detail.fields));
  form.addEventListener("draft:load", ({ detail }) => put(new URLSearchParams(detail.draft.fields)));
  form.addEventListener("work:sent", () => {
    const said = NAMES.map((name) => form.querySelector(`input[name="${name}"]:checked`)?.dataset.said).filter(Boolean);
    remember({ url: location.pathname, said: said.join(", "), key: "z" });
  });
}

const undo = offerUndo();
bindForm();
bindPointer();
bind("yes", byKey("yes"));
bind("no", byKey("no"));
bind("answer", () => elements.text && mark("answer"));
bind("rationale", () => mark("rationale"));
bind("select", select);
bind("next", walk);
bind("clear", clear);
bind("done", () => { pointer.settle(); goOn(); });
bind("undo", () => stepBack() || undo?.go());
bind("light", () => toggleLit(form));
bindPattern(/^[1-9]$/, ({ key }) => {
  const option = !guessing && form.querySelector(`input[name=option][data-digit="${key}"]`);
  if (!option || option.disabled) return false;
  form.querySelector("input[name=solvable][value=yes]").checked = true;
  option.checked = true;
  changed();
  return true;
});
startFrame({ alike, fieldsOf: (stored) => new URLSearchParams(stored.fields) });
refresh();
if (fixed) {
  part("guessing").hidden = false;
  part("needing").hidden = !valueOf("necessary");
}
document.getElementById("original-title")?.focus();
