// The sub-questions page: one judgment after another by keys, corrections in place, answers picked by selecting words.
import { ChangeHistory } from "../../js/change_history.js";
import { showMissing, startFrame } from "../../js/frame.js";
import { onItem } from "../../js/item.js";
import { bind } from "../../js/keys.js";
import { PointerSelection } from "../../js/pointer_selection.js";
import { selected, textOf } from "../../js/ranges.js";
import { sameFields } from "../../js/same_fields.js";
import { reveal } from "../../js/scrolling.js";
import { Hops } from "./hops.js";
import { plain } from "./rules.js";
import { announce, sentence } from "../../js/texts.js";

const MOST_NAMED = matchMedia("(max-width: 60rem)").matches ? 1 : 2; // things missing that the bar names

let form;
let root;
let fixed;
let hops;
let steps;
let sources;
let history;
let now; // the fields as they are
let typing; // the field whose burst of typing is one change
let at; // the judgment at hand

const fields = () => [...root.querySelectorAll("input[name], textarea[name]")];

function read() {
  const given = fields().filter((field) => field.type !== "radio" || field.checked);
  return new URLSearchParams(given.map(({ name, value }) => [name, value]));
}

function write(values) {
  for (const field of fields()) {
    const value = values.get(field.name);
    if (field.type === "radio") field.checked = value === field.value;
    else field.value = value ?? field.dataset.own;
  }
  hops.settle();
  now = read();
  refresh();
}

/** Something was changed: what was before can be had back. */
function changed() {
  history.note(now);
  now = read();
  refresh();
  history.tell();
}

const kept = () => root.querySelector("input[name=discard]:checked")?.value ?? "";
const isOpen = (step) => !step.querySelector("input:checked");

function wantsCorrection(row, part) {
  const wrong = part === "answer" ? row.judged("valid") === "no" : ["well_formed", "meaning"].some((name) => row.judged(name) === "no");
  return wrong && !hops.corrected(row, part);
}

function missing() {
  if (!kept()) return [{ field: "discard", text: sentence("missing-discard") }];
  if (kept() !== "no") return [];
  const things = [];
  for (const row of hops.rows) {
    const hop = row.number;
    for (const step of row.element.querySelectorAll("[data-step]")) {
      const words = step.querySelector("legend").textContent;
      if (isOpen(step)) things.push({ field: step.id.slice("control-".length), text: sentence("missing-judgment", { hop, words }) });
    }
    for (const part of ["question", "answer"]) {
      if (wantsCorrection(row, part)) things.push({ field: `hop-${hop}-${part}`, text: sentence(`missing-${part}`, { hop }) });
    }
    const right = row.judged("well_formed") === "yes" && row.judged("meaning") === "yes";
    if (right && hops.corrected(row, "question")) things.push({ field: `hop-${hop}-well_formed`, text: sentence("excess-question", { hop }) });
  }
  return things;
}

function refresh() {
  hops.show();
  const discarded = Boolean(kept()) && kept() !== "no";
  root.classList.toggle("discarded", discarded);
  root.querySelector("[data-aside]").hidden = !discarded;
  for (const button of root.querySelectorAll("[data-undo]")) button.disabled = history.isEmpty;
  steps.forEach((step, k) => {
    step.toggleAttribute("data-here", k === at);
  });
  showMissing(missing().slice(0, MOST_NAMED));
}

/* going about */

const usable = () => (kept() && kept() !== "no" ? steps.slice(0, 1) : steps);

function go(step, { focus = true } = {}) {
  at = Math.min(Math.max(step, 0), usable().length - 1);
  refresh();
  if (!focus) return;
  steps[at].focus({ preventScroll: true });
  reveal(steps[at]);
}

/** After a judgment: to the text that must be corrected before its hop goes on, else to the next judgment that is open. */
function goOn() {
  const row = hops.at(steps[at]);
  const next = steps[at + 1];
  const leaves = !next || next.parentElement !== steps[at].parentElement;
  const part = row && leaves && ["question", "answer"].find((one) => wantsCorrection(row, one));
  if (part) return edit(row[part]);
  const open = usable().findIndex((step, k) => k > at && isOpen(step));
  const first = open < 0 ? usable().findIndex(isOpen) : open;
  return first >= 0 ? go(first) : go(at);
}

function edit(field) {
  field.focus({ preventScroll: true });
  field.select();
  reveal(field);
}

function choose(value) {
  const input = steps[at].querySelector(`input[value="${value}"]`);
  if (!input || input.disabled) return false;
  input.checked = true;
  if (value === "yes" && input.name.endsWith("-valid")) giveBack(hops.at(input));
  changed();
  goOn();
  return true;
}

/** An answer that is called valid after all is the one that was there. */
function giveBack(row) {
  if (!hops.corrected(row, "answer")) return;
  row.answer.value = row.answer.dataset.own;
  hops.flow(row);
}

function discard(value) {
  at = 0;
  return choose(value);
}

function editHere() {
  const row = hops.at(steps[at]);
  if (!row) return false;
  edit(steps[at].id.endsWith("-valid") ? row.answer : row.question);
  return true;
}

/* texts */

function setAnswer(row, text) {
  row.answer.value = plain(text);
  if (hops.corrected(row, "answer")) row.judge("valid", "no");
  hops.flow(row);
  changed();
}

function setFromSelection() {
  const row = hops.at(document.activeElement) ?? hops.at(steps[at]);
  const found = row && selected(sources);
  if (!found) return;
  const text = plain(textOf(found.root).slice(found.start, found.end));
  document.getSelection().removeAllRanges(); // or the next click anywhere would set the words once more
  if (text === plain(row.answer.value)) return;
  setAnswer(row, text);
  announce(sentence("answer-set", { hop: row.number, text }));
}

function onInput({ target }) {
  if (!target.dataset.part) return;
  if (typing !== target) history.note(now);
  typing = target;
  const row = hops.at(target);
  if (target === row.answer && hops.corrected(row, "answer")) row.judge("valid", "no");
  if (target === row.question) row.before = null;
  now = read();
  refresh();
}

function onChange({ target }) {
  typing = null;
  const row = hops.at(target);
  if (row && target === row.answer) hops.flow(row);
  changed();
}

function onFieldKey(event) {
  const leaves = event.key === "Escape" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey);
  if (!event.target.dataset.part || !leaves || event.isComposing) return;
  event.preventDefault();
  const row = hops.at(event.target);
  const judgments = event.target === row.answer ? "valid" : "meaning";
  at = steps.findIndex((step) => step.id === `control-hop-${row.number}-${judgments}`);
  event.target.blur();
  const open = usable().findIndex(isOpen);
  go(open < 0 ? at : open);
}

function onClick({ target }) {
  if (target.closest("[data-undo]")) return history.undo();
  if (!target.closest("[data-unflow]")) return undefined;
  hops.unflow(hops.at(target));
  return changed();
}

function start() {
  bind("next", () => go(at + 1));
  bind("previous", () => go(at - 1));
  bind("edit", editHere);
  if (fixed) return;
  bind("yes", () => choose(at ? "yes" : "no")); // the first question's "no" is that nothing is discarded
  bind("no", () => (at ? choose("no") : false));
  bind("single-hop", () => discard("single_hop"));
  bind("wrong-answer", () => discard("wrong_answer"));
  bind("undo", () => history.undo());
  form.addEventListener("input", onInput);
  form.addEventListener("change", onChange);
  root.addEventListener("keydown", onFieldKey);
  root.addEventListener("click", onClick);
  root.addEventListener("focusin", ({ target }) => {
    const step = steps.indexOf(target.closest("[data-step]"));
    if (step >= 0 && step !== at) go(step, { focus: false });
  });
  new PointerSelection(root, { find: () => selected(sources), take: setFromSelection });
}

onItem(() => {
  form = document.getElementById("work");
  root = document.getElementById("subquestions");
  fixed = "readonly" in form.dataset;
  hops = new Hops(root);
  steps = [...root.querySelectorAll("[data-step]")];
  sources = [...root.querySelectorAll("[data-source]")];
  history = new ChangeHistory(form, { read, write });
  now = read();
  typing = null;
  at = 0;
  form.addEventListener("draft:restore", ({ detail }) => write(new URLSearchParams(detail.fields)));
  form.addEventListener("draft:load", ({ detail }) => write(new URLSearchParams(detail.draft.fields)));
  start();
  refresh();
  startFrame({ alike: sameFields, fieldsOf: (stored) => new URLSearchParams(stored.fields) });
  go(Math.max(usable().findIndex(isOpen), 0), { focus: false });
});
