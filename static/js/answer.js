// The answer page: selecting text sets the answer, ticks say what it rests on, and the list of paragraphs can be
// searched, sorted and walked through by keys.
import { alike, AnswerForm, changedEarly, fieldsOf, isGiven, stateOf, stateOfDraft } from "./answer_form.js";
import { showAnswer, sourceOf } from "./answer_view.js";
import { keepHere, keptHere } from "./browser_storage.js";
import { Caret } from "./caret.js";
import { showMissing, startFrame } from "./frame.js";
import { on, onItem } from "./item.js";
import { bind, bindPattern } from "./keys.js";
import { slice, toCodePoint, wholeWords } from "./offsets.js";
import { bindOptions, chooseOption, chooseRadio, showOption } from "./options.js";
import { ParagraphList } from "./paragraphs.js";
import { select, selected, textOf } from "./ranges.js";
import { reveal } from "./scrolling.js";
import { Search } from "./search.js";
import { announce, sentence } from "./texts.js";
import { TypedAnswer } from "./typed_answer.js";

const SETTLED = 400; // milliseconds in which a touch selection does not change

let form;
let fixed;
let answer;
let asksFirst; // whether there is an answer at all
let element;
let list;
let search;
let caret;
let typed;
let lastPointer = "mouse";
let touchTimer = 0;

function refresh() {
  const state = answer.read();
  for (const item of list.items) item.element.toggleAttribute("data-ticked", list.isTicked(item));
  const settled = lastPointer === "mouse" || document.getSelection().isCollapsed;
  const found = typed.found(state);
  showAnswer(state, found, { form, list, settled, undoable: answer.history.length > 0 });
  showMissing(missing(state, found));
  showView();
  showOption(form);
  search.paint();
  typed.paint(found);
}

function missing(state, found) {
  const things = [];
  if (asksFirst && !state.answerable) return [{ field: "answerable", text: sentence("missing-answerable") }];
  if (state.answerable === "no") return things;
  if (!isGiven(state) || (state.kind === "text" && !found)) things.push({ field: "text", text: sentence("missing-answer") });
  else if (found && !found.place) things.push({ field: "text", text: sentence("missing-place") });
  const supported = state.support.length || state.facts.length || state.kind === "none";
  const place = document.querySelector("#control-fact, #control-support");
  if (place && !supported) things.push({ field: place.id.slice("control-".length), text: sentence("missing-support") });
  return things;
}

function showView() {
  const { pin, hidden, sort, filter, folded } = list.view;
  document.getElementById("pin").setAttribute("aria-pressed", String(pin));
  document.getElementById("fold-all").setAttribute("aria-pressed", String(folded.length >= list.items.length));
  document.getElementById("sort").value = sort;
  document.getElementById("filter").value = filter;
  const back = document.getElementById("show-hidden");
  back.hidden = !hidden.length;
  back.querySelector("span").textContent = hidden.length;
  document.getElementById("nothing").hidden = list.shown().length > 0;
}

/** The selected words as an answer: a span of a text, or of a text that holds a title's words; null without any. */
function chosen() {
  const inText = selected(list.items.map((item) => item.text));
  if (inText) return inText;
  const inTitle = selected(list.items.map((item) => item.title));
  if (!inTitle) return null;
  const words = textOf(inTitle.root).slice(inTitle.start, inTitle.end);
  const { text } = list.holding(inTitle.root);
  const start = textOf(text).indexOf(words);
  return start < 0 ? null : { root: text, start, end: start + words.length };
}

/** A UTF-16 range of an item's text as a place. */
function placeOf(item, { start, end }) {
  const text = textOf(item.text);
  return { paragraph: item.position, start: toCodePoint(text, start), end: toCodePoint(text, end) };
}

/** Take the selection as the answer; false without one. A pointer easily misses a letter: its range grows to whole
 * words, unless it is a part of the answer as it is, which is how one takes a part of a word. */
function setFromSelection({ byPointer = false } = {}) {
  let span = fixed || !answer.words || !isAsked() ? null : chosen(); // with options there are no words to select
  if (!span) return false;
  const item = list.holding(span.root);
  const text = textOf(item.text);
  const now = answer.read();
  let place = placeOf(item, span);
  const isHere = now.kind === "span" && now.paragraph === place.paragraph;
  if (byPointer && !(isHere && now.start <= place.start && place.end <= now.end)) {
    span = { ...span, ...wholeWords(text, span) };
    place = placeOf(item, span);
  }
  const words = text.slice(span.start, span.end);
  const same = isHere && now.start === place.start && now.end === place.end;
  list.current = item;
  if (same) return true;
  answer.setSpan({ ...place, text: words });
  if (lastPointer === "mouse") select(span.root, span.start, span.end);
  caret.end();
  announce(sentence("answer-set", { text: words, number: item.position + 1 }));
  return true;
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

function setByKey() {
  if (!isAsked()) announce(sentence("answerable-first"));
  else if (!setFromSelection()) announce(sentence("select-first"));
}

function beginSelecting() {
  if (!isAsked()) return announce(sentence("answerable-first"));
  const found = search.here();
  if (found && found.item === list.here()) return caret.beginAt(found.item, found.range);
  const item = list.here();
  return item && caret.begin(item);
}

function tickHere() {
  const item = list.here();
  const box = item?.tick ?? item?.ticks.find((each) => document.activeElement === each) ?? item?.ticks[0];
  if (!box || box.disabled) return;
  box.click();
  announce(sentence(box.checked ? "ticked" : "unticked", { number: item.position + 1 }));
}

function choose(name, value) {
  return () => (name === "answerable" || isAsked()) && chooseRadio(form, name, value);
}

function cycle(id) {
  return () => {
    const control = document.getElementById(id);
    control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
    control.dispatchEvent(new Event("change", { bubbles: true }));
    announce(control.selectedOptions[0].textContent);
  };
}

function bindKeys() {
  bind("search", () => { search.input.focus(); search.input.select(); });
  bind("type", () => isAsked() && document.getElementById("answer-text")?.focus());
  bind("next", () => list.move(1));
  bind("previous", () => list.move(-1));
  bind("tick", tickHere);
  bind("fold", () => list.here() && list.toggle("folded", list.here().position));
  bind("fold-all", () => list.foldAll());
  bind("hide", () => list.here() && list.hide(list.here()));
  bind("pin", () => list.change({ pin: !list.view.pin }));
  bind("sort", cycle("sort"));
  bind("filter", cycle("filter"));
  bind("select", beginSelecting);
  bind("answer", setByKey);
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
  if (target.name !== "text" || target.form !== form) return;
  answer.write({ ...answer.read(), kind: "text", paragraph: null, start: null, end: null });
}

/** A choice that speaks for itself: picking an option, or going back to words that were selected. */
function onChoice({ target }) {
  if (target.name === "option") answer.write({ ...answer.read(), kind: "option" });
  if (target !== answer.words) return;
  const state = answer.read();
  answer.write({ ...state, kind: state.start === null ? "text" : "span" });
}

function bindPointer() {
  on(document, "pointerdown", (event) => { lastPointer = event.pointerType || "mouse"; }, { capture: true });
  // A click into a selection takes it away only after mouseup.
  on(document, "mouseup", () => setTimeout(() => lastPointer === "mouse" && setFromSelection({ byPointer: true })));
  on(document, "selectionchange", () => {
    if (lastPointer === "mouse" || caret.on) return;
    clearTimeout(touchTimer);
    const isEmpty = document.getSelection().isCollapsed;
    touchTimer = setTimeout(() => (isEmpty ? refresh() : setFromSelection({ byPointer: true })), SETTLED);
  });
}

/** On a phone the question can be one line; it stays so for the items that come. */
function bindQuestion() {
  const button = document.getElementById("fold-question");
  const show = (open) => button.setAttribute("aria-expanded", String(open));
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    show(open);
    keepHere("question-folded", !open);
  });
  show(!keptHere("question-folded"));
}

function bindButtons() {
  const onClick = {
    pin: () => list.change({ pin: !list.view.pin }),
    "fold-all": () => list.foldAll(),
    "show-hidden": () => list.change({ hidden: [] }),
    "show-all": () => list.change({ hidden: [], filter: "all" }),
    "clear-answer": () => answer.clear(),
    "undo-answer": () => answer.undo(),
    "next-place": () => stepPlace(1),
  };
  for (const [id, run] of Object.entries(onClick)) document.getElementById(id)?.addEventListener("click", run);
  for (const id of ["sort", "filter"]) {
    document.getElementById(id).addEventListener("change", ({ target }) => list.change({ [id]: target.value }));
  }
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
    if (event.key === "Escape") field.blur();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && stepPlace(step)) event.preventDefault();
  });
  if (field) typed.watch(field, () => answer.read());
  element.addEventListener("click", clickPlace);
  form.addEventListener("input", onTyping);
  form.addEventListener("change", onChoice);
  // Ticking does not sort or filter anew: what is under the finger stays there until the view is changed.
  form.addEventListener("answer:change", refresh);
  form.addEventListener("draft:restore", ({ detail }) => answer.set(stateOf(detail.fields)));
  form.addEventListener("draft:load", ({ detail }) => answer.set(stateOfDraft(detail.draft)));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.target.dataset.paragraph === undefined || caret.on) return;
    event.preventDefault();
    beginSelecting();
  });
}

onItem(() => {
  form = document.getElementById("work");
  fixed = "readonly" in form.dataset;
  answer = new AnswerForm(form);
  asksFirst = form.querySelector("input[name=answerable]") !== null;
  element = document.getElementById("paragraphs");
  list = new ParagraphList(element, { name: `view:${form.dataset.assignment}`, changed: () => refresh() });
  search = new Search(document.getElementById("search"), document.getElementById("search-result"), list);
  caret = new Caret(list, { hint: document.getElementById("caret-hint"), set: () => setFromSelection() });
  typed = new TypedAnswer(list, {
    changed: () => refresh(),
    words: (found) => found ? sourceOf(answer.read(), found, list) : "",
  });
  const early = changedEarly(form);
  answer.write(stateOfDraft(JSON.parse(document.getElementById("draft").textContent)));
  bindForm();
  bindButtons();
  bindOptions();
  bindQuestion();
  bindPointer();
  bindKeys();
  list.apply();
  startFrame({ alike, fieldsOf: (stored) => fieldsOf(stateOfDraft(stored)) });
  if (early) answer.set(early); // now that a change is saved
});
