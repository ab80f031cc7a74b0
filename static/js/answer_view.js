// What the answer page shows of a state: the mark in the paragraph, where the answer is from, the ticks, the proposal.
import { toUnit } from "./offsets.js";
import { textOf, unwrap, wrap } from "./ranges.js";
import { sentence } from "./texts.js";
import { showUndoButtons } from "./undo_buttons.js";

const MARK = "mark-answer";
let marked = "";

/** Where an answer stands: selected, or typed and found. */
function placeOf(state, found) {
  if (state.answerable === "no") return null;
  return state.kind === "span" && state.start !== null ? state : found?.place ?? null;
}

function markAnswer(place, list) {
  const name = place ? `${place.paragraph}:${place.start}-${place.end}` : "";
  if (name === marked) return;
  marked = name;
  unwrap(list.element, MARK);
  const item = place && list.at(place.paragraph);
  if (!item) return;
  const text = textOf(item.text);
  wrap(item.text, toUnit(text, place.start), toUnit(text, place.end), MARK);
}

function nameOf(list, position) {
  return textOf(list.at(position).title) || sentence("untitled");
}

/** Where the answer is from, in words; "" without one. */
export function sourceOf(state, found, list) {
  const from = (place) => ({ number: place.paragraph + 1, title: nameOf(list, place.paragraph) });
  if (found?.place) {
    const { length } = found.places;
    return sentence(length > 1 ? "found-among" : "found", { k: found.at + 1, n: length, ...from(found.place) });
  }
  if (found) return sentence("found-nowhere");
  return state.kind === "span" && state.paragraph !== null ? sentence("answer-from", from(state)) : "";
}

/** Whether an answer may stand in no paragraph. */
export function takesOwnWords() {
  return document.getElementById("answer-text")?.dataset.ownWords !== undefined;
}

function showSource(state, found, list) {
  const line = document.getElementById("answer-source");
  if (!line) return;
  const nowhere = found !== null && !found.place && !takesOwnWords();
  line.textContent = sourceOf(state, found, list) || line.dataset.empty;
  line.toggleAttribute("data-nowhere", nowhere);
  document.getElementById("answer-text").setAttribute("aria-invalid", String(nowhere));
  const step = document.getElementById("next-place");
  step.hidden = !(found?.places.length > 1);
  if (!step.hidden) step.querySelector("[data-at]").textContent = `${found.at + 1}/${found.places.length}`;
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
function boxOfAnswer(place, list) {
  const item = list.at(place.paragraph);
  if (item.tick) return item.tick;
  const sentenceOf = item.text.querySelector(`mark.${MARK}`)?.closest("[data-sentence]");
  return sentenceOf?.querySelector("input[name=fact]") ?? null;
}

function propose(place, list) {
  const button = document.getElementById("propose");
  for (const old of list.element.querySelectorAll("[data-proposed]")) delete old.dataset.proposed;
  if (!button) return;
  const box = place && boxOfAnswer(place, list);
  const open = box && !box.checked && !box.disabled;
  button.classList.toggle("off", !open);
  button.disabled = !open;
  if (!open) return;
  box.parentElement.dataset.proposed = "";
  button.dataset.propose = box.value;
  button.querySelector("span").textContent = sentence("propose", { number: place.paragraph + 1 });
}

/**
 * Draw a state; `found` is where its words stand (static/js/typed_answer.js). While a touch selection is being made
 * (`settled` false) its text is left alone. A place that is only the first of several proposes nothing.
 */
export function showAnswer(state, found, { form, list, settled, undoable }) {
  const place = placeOf(state, found);
  if (settled) markAnswer(place, list);
  showSource(state, found, list);
  showTicks(list);
  propose(found && !found.chosen ? null : place, list);
  form.dataset.kind = state.kind;
  const blank = !state.text && state.option === null && !["yes", "no", "none"].includes(state.kind) && !state.answerable;
  showUndoButtons({ undoable, blank });
}
