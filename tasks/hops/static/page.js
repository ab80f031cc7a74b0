// The page of steps: selected words answer the step at hand, ticks are its paragraphs, Enter goes to the next step.
import { ChangeHistory } from "../../js/change_history.js";
import { showMissing, startFrame } from "../../js/frame.js";
import { onItem } from "../../js/item.js";
import { bind, bindPattern, typeInto } from "../../js/keys.js";
import { toUnit } from "../../js/offsets.js";
import { placesOf } from "../../js/places.js";
import { textOf, unwrap, wrap } from "../../js/ranges.js";
import { Reading } from "../../js/reading.js";
import { sameFields } from "../../js/same_fields.js";
import { reveal } from "../../js/scrolling.js";
import { announce, sentence } from "../../js/texts.js";
import { bindUndoButtons, showUndoButtons } from "../../js/undo_buttons.js";

const PLACE = ["paragraph", "start", "end"];
const MOST_NAMED = matchMedia("(max-width: 56rem)").matches ? 1 : 3; // things missing that the bar names

/** The numbers in a text such as “3, 7”. */
function numbersIn(text) {
  return text.split(",").map((part) => Number(part.trim())).filter((number) => number > 0);
}

class Step {
  constructor(element) {
    this.element = element;
    this.name = element.dataset.step;
    this.number = element.dataset.number;
    this.closed = "closed" in element.dataset;
    this.fields = [...element.querySelectorAll("input, textarea")];
  }

  field(part) {
    return this.fields.find(({ name }) => name === `hop-${this.name}-${part}`);
  }

  value(part) {
    return this.field(part)?.value.trim() ?? "";
  }

  /** The place of a selected answer, or null. */
  place() {
    if (!this.value("start")) return null;
    const [paragraph, start, end] = PLACE.map((part) => Number(this.value(part)));
    return { paragraph, start, end };
  }

  /** Answer with words at a place, or, without one, with typed words. */
  say(text, place = null) {
    this.field("text").value = text.replace(/[\r\n]+/g, " ");
    for (const part of PLACE) this.field(part).value = place?.[part] ?? "";
  }

  isBlank() {
    return ["question", "text", "support"].every((part) => !this.value(part));
  }

  clear() {
    for (const field of this.fields) field.value = "";
  }
}

let form;
let root;
let fixed;
let arm;
let steps;
let numbers;
let history;
let reading;
let list;
let at; // the step at hand
let before; // the fields as they were when typing began: a burst of it is one change

const here = () => steps[at];
const written = () => steps.filter((step, k) => arm !== "free" || !step.isBlank() || (k === 0 && steps.every((one) => one.isBlank())));
const fieldsNow = () => new URLSearchParams([...new FormData(form)].filter(([name]) => name.startsWith("hop-") || name === "kind"));

function isThere(step) {
  if (step.place()) return true;
  const text = step.value("text");
  return Boolean(text) && placesOf(text, list.items.map((item) => textOf(item.text))).length > 0;
}

function missing() {
  if (arm === "kind") return form.querySelector("input[name=kind]:checked") ? [] : [{ field: "kind", text: sentence("missing-kind") }];
  return written().flatMap((step) => lacking(step).map((part) => (
    { field: `hop-${step.name}-${part}`, text: sentence(`missing-step-${part}`, { step: step.number }) }
  )));
}

/** The parts that a step lacks. */
function lacking(step) {
  const parts = [];
  if (step.closed) return parts;
  if (step.field("question") && !step.value("question")) parts.push("question");
  if (!isThere(step) && !isYesNo(step)) parts.push("text");
  if (step.field("support") && !numbersIn(step.value("support")).length) parts.push("support");
  return parts;
}

/** A batch may take yes and no; where it does not, the server says so. */
function isYesNo(step) {
  return ["yes", "no"].includes(step.value("text").toLowerCase());
}

function refresh() {
  const step = here();
  if (step) {
    const ticked = step.field("support") ? numbersIn(step.value("support")) : [];
    for (const { tick, position } of list.items) if (tick) tick.checked = ticked.includes(position + 1);
    showAnswer(step.place());
  }
  steps.forEach((one, k) => {
    one.element.toggleAttribute("data-here", k === at && !one.closed && steps.length > 1);
    const unused = arm === "free" && !fixed && k > at && one.isBlank() && steps.slice(k).every((later) => later.isBlank());
    one.element.hidden = unused && !(k === 0);
  });
  showNumbers();
  reading.showTicks();
  reading.showView();
  showUndoButtons({ undoable: !history.isEmpty, blank: !step || step.isBlank() });
  showMissing(missing().slice(0, MOST_NAMED));
}

function showAnswer(place) {
  if (!reading.settled) return;
  unwrap(list.element, "mark-answer");
  const item = place && list.at(place.paragraph);
  if (!item) return;
  const text = textOf(item.text);
  wrap(item.text, toUnit(text, place.start), toUnit(text, place.end), "mark-answer");
}

/** The steps by number, for a phone that shows only the one at hand; a button stays the same under the finger. */
function showNumbers() {
  if (!numbers) return;
  if (!numbers.children.length) numbers.append(...steps.map(numberOf));
  steps.forEach((step, k) => {
    const button = numbers.children[k];
    button.hidden = step.element.hidden;
    if (k === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.toggleAttribute("data-full", !lacking(step).length);
  });
}

function numberOf(step) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = step.number;
  button.dataset.go = step.name;
  button.setAttribute("aria-label", sentence("step", { number: step.number }));
  return button;
}

/** Change something; what was before can be had back. */
function change(run) {
  const was = fieldsNow();
  run();
  history.note(was);
  refresh();
  history.tell();
}

function write(fields) {
  for (const step of steps) {
    for (const field of step.fields) if (!step.closed) field.value = fields.get(field.name) ?? "";
  }
  for (const radio of form.querySelectorAll("input[name=kind]")) radio.checked = radio.value === fields.get("kind");
  refresh();
}

function go(to, { focus = true } = {}) {
  if (!steps[to] || steps[to].closed) return false;
  at = to;
  refresh();
  const step = here();
  if (focus) (step.field("question") ?? step.field("text")).focus({ preventScroll: true });
  if (focus) reveal(step.element);
  announce(sentence("step", { number: step.number }));
  return true;
}

/** On to the next step, which in some arms the server opens; false where the browser is to have the key. */
function goOn(event) {
  if (event?.target.closest?.("a, button, summary, [data-paragraph], input, textarea") && !root.contains(event.target)) return false;
  if (event?.target.closest?.("button")) return false;
  if (arm !== "free") {
    if (!missing().length) form.requestSubmit();
    return true;
  }
  return here().isBlank() || go(Math.min(at + 1, steps.length - 1));
}

function onFieldKey(event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || !event.target.matches("input, textarea")) return;
  if (event.key === "Escape") event.target.blur();
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  const step = here();
  if (event.target === step.field("question")) step.field("text").focus();
  else goOn(event);
}

function onInput({ target }) {
  const step = steps.find((one) => one.fields.includes(target));
  if (!step) return;
  if (target === step.field("text")) for (const part of PLACE) step.field(part).value = "";
  refresh();
}

function onChange({ target }) {
  if (target.name === "support" && list.holding(target)) {
    const ticked = list.items.filter(({ tick }) => tick.checked).map(({ position }) => position + 1);
    return change(() => { here().field("support").value = ticked.join(", "); });
  }
  return refresh();
}

function onFocus({ target }) {
  before = fieldsNow();
  const step = steps.findIndex(({ element }) => element.contains(target));
  if (step >= 0 && step !== at && !steps[step].closed) {
    at = step;
    refresh();
  }
}
function onLeave() {
  if (before) history.note(before);
  before = null;
  refresh();
}

function clear() {
  change(() => here().clear());
}

/** Whether two sets of fields say the same, wherever in the paragraphs it was selected. */
function alike(fields, other) {
  return sameFields(fields, other, (name) => !/-(paragraph|start|end)$/.test(name));
}

function bindAll() {
  reading.bindButtons();
  reading.bindKeys();
  bind("type", () => typeInto(here()?.field("text")));
  bind("next-step", goOn);
  if (fixed) return;
  reading.bindPointer();
  bind("clear", clear);
  bind("undo", () => history.undo());
  bindPattern(/^[1-8]$/, ({ key }) => (arm === "kind" ? choose(key) : go(Number(key) - 1)));
  root.addEventListener("keydown", onFieldKey);
  root.addEventListener("focusin", onFocus);
  root.addEventListener("focusout", onLeave);
  form.addEventListener("input", onInput);
  form.addEventListener("change", onChange);
  bindUndoButtons({ undo: () => history.undo(), clear });
  document.getElementById("next-step")?.addEventListener("click", () => goOn());
  numbers?.addEventListener("click", ({ target }) => target.dataset.go && go(Number(target.dataset.go) - 1));
  form.addEventListener("draft:restore", ({ detail }) => write(detail.fields));
  form.addEventListener("draft:load", ({ detail }) => write(new URLSearchParams(detail.draft.fields)));
}

function choose(digit) {
  const radio = form.querySelector(`input[name=kind][data-digit="${digit}"]`);
  if (!radio || radio.disabled) return false;
  radio.click();
  return true;
}

/** The places of the draft's answers, but where other words were typed before this script ran. */
function takeDraft() {
  const { fields } = JSON.parse(document.getElementById("draft").textContent);
  for (const step of steps) {
    const stored = (part) => fields[`hop-${step.name}-${part}`] ?? "";
    if (step.value("text") !== stored("text").trim()) continue;
    for (const part of PLACE) step.field(part).value = stored(part);
  }
}

onItem(() => {
  form = document.getElementById("work");
  root = document.getElementById("steps");
  fixed = "readonly" in form.dataset;
  ({ arm } = root.dataset);
  steps = [...root.querySelectorAll("[data-step]")].map((element) => new Step(element));
  numbers = document.getElementById("step-numbers");
  history = new ChangeHistory(form, { read: fieldsNow, write });
  at = Math.max(steps.findIndex(({ closed }) => !closed), 0);
  before = null;
  if (root.dataset.last === "false") delete form.dataset.prefetchUrl; // another step comes before the next item
  reading = new Reading(form, {
    changed: () => refresh(),
    refusal: () => (here() && !here().closed ? "" : sentence("select-first")),
    now: () => here().place(),
    take: (place, text) => change(() => here().say(text, place)),
    enter: (paragraph) => here()?.place()?.paragraph === paragraph && goOn(),
  });
  list = reading.list;
  for (const { tick } of list.items) tick?.setAttribute("form", "find"); // ticks are shown for a step, not sent
  takeDraft();
  bindAll();
  list.apply();
  startFrame({ alike, fieldsOf: (stored) => new URLSearchParams(stored.fields) });
  refresh();
});
