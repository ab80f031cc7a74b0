// What the answer page shows of a state: the mark in the paragraph, where the answer is from, the ticks, the proposal.
import { toUnit } from "./offsets.js";
import { textOf, unwrap, wrap } from "./ranges.js";
import { sentence } from "./texts.js";

const MARK = "mark-answer";
let marked = "";

function markAnswer(state, list) {
  const given = state.kind === "span" && state.start !== null && state.answerable !== "no";
  const place = given ? `${state.paragraph}:${state.start}-${state.end}` : "";
  if (place === marked) return;
  marked = place;
  unwrap(list.element, MARK);
  const item = place && list.at(state.paragraph);
  if (!item) return;
  const text = textOf(item.text);
  wrap(item.text, toUnit(text, state.start), toUnit(text, state.end), MARK);
}

function nameOf(list, position) {
  return textOf(list.at(position).title) || sentence("untitled");
}

function showSource(state, list) {
  const line = document.getElementById("answer-source");
  if (!line) return;
  const typed = state.kind === "text" && state.text.trim() ? sentence("answer-typed") : "";
  const at = state.kind === "span" && state.paragraph !== null;
  line.textContent = at
    ? sentence("answer-from", { number: state.paragraph + 1, title: nameOf(list, state.paragraph) })
    : typed || line.dataset.empty;
}

function chip(list, position) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "chip";
  made.dataset.jump = position;
  const number = document.createElement("b");
  number.textContent = position + 1;
  const title = document.createElement("span");
  title.className = "cut";
  title.dir = "auto";
  title.textContent = nameOf(list, position);
  made.append(number, " ", title);
  return made;
}

function showTicks(list) {
  const box = document.getElementById("ticks");
  if (!box) return;
  const ticked = list.items.filter((item) => list.isTicked(item));
  box.replaceChildren(...ticked.map((item) => chip(list, item.position)));
  for (const count of document.querySelectorAll("[data-tick-count]")) {
    count.textContent = sentence("tick-count", { n: ticked.length });
  }
}

/** The box of the place that holds the answer: its paragraph's, or its sentence's. */
function boxOfAnswer(state, list) {
  const item = list.at(state.paragraph);
  if (item.tick) return item.tick;
  const sentenceOf = item.text.querySelector(`mark.${MARK}`)?.closest("[data-sentence]");
  return sentenceOf?.querySelector("input[name=fact]") ?? null;
}

function propose(state, list) {
  const button = document.getElementById("propose");
  for (const old of list.element.querySelectorAll("[data-proposed]")) delete old.dataset.proposed;
  if (!button) return;
  const box = state.kind === "span" && state.paragraph !== null ? boxOfAnswer(state, list) : null;
  const open = box && !box.checked && !box.disabled;
  button.classList.toggle("off", !open);
  button.disabled = !open;
  if (!open) return;
  box.parentElement.dataset.proposed = "";
  button.dataset.propose = box.value;
  button.querySelector("span").textContent = sentence("propose", { number: state.paragraph + 1 });
}

/** Draw a state. While a touch selection is being made (`settled` false) its text is left alone. */
export function showAnswer(state, { form, list, settled, undoable }) {
  if (settled) markAnswer(state, list);
  showSource(state, list);
  showTicks(list);
  propose(state, list);
  form.dataset.kind = state.kind;
  const undo = document.getElementById("undo-answer");
  if (undo) undo.disabled = !undoable;
  const clear = document.getElementById("clear-answer");
  const blank = !state.text && state.option === null && !["yes", "no", "none"].includes(state.kind) && !state.answerable;
  if (clear) clear.disabled = blank;
}
