// The compose page: bridges are judged one after another, then the graph lights up and the question is written.
import { Bridges } from "./bridges.js";
import { Question } from "./question.js";
import { alike, fieldsOf, stateOf, stateOfDraft } from "./state.js";
import { showMissing, startFrame } from "../../js/frame.js";
import { onItem } from "../../js/item.js";
import { bind, bindPattern, typeInto } from "../../js/keys.js";
import { reveal } from "../../js/scrolling.js";
import { goTo } from "../../js/submit.js";
import { announce, sentence } from "../../js/texts.js";

let form;
let root;
let fixed;
let practising; // or giving a test answer to a preview
let submitText;
let submitWords;
let hops;
let here; // the hop at hand
let question;
let bridges;

function missing() {
  const { name, bridge } = bridges.stage;
  if (name === "aside") return [];
  const total = bridges.given.length;
  if (bridge) return [{ field: `bridge-${bridge}`, text: sentence("missing-bridge", { number: bridge, total }) }];
  if (!question.text.trim()) return [{ field: "question", text: sentence("missing-question") }];
  const found = question.found();
  const errors = found.filter(({ level }) => level === "error");
  const open = found.filter(({ id, level }) => level === "warning" && !question.reasonFor(id));
  const said = (name, n) => sentence(n > 1 ? `${name}s` : name, { n });
  return [
    ...errors.slice(0, 1).map(() => ({ field: "question", text: said("missing-change", errors.length) })),
    ...open.slice(0, 1).map(({ id }) => ({ field: `override-${id}`, text: said("missing-reason", open.length) })),
  ];
}

function refresh() {
  showMissing(missing());
}

function showGraph() {
  const { name, bridge } = bridges.stage;
  const card = bridges.cards[bridge - 1];
  const ends = card ? [card.dataset.head, card.dataset.tail] : [];
  for (const edge of root.querySelectorAll(".map [data-edge]")) {
    const k = Number(edge.dataset.edge);
    edge.classList.toggle("here", k === bridge && name === "judging");
    edge.classList.toggle("sure", bridges.given[k - 1] === "same");
    edge.classList.toggle("broken", k === bridge && name === "aside");
  }
  for (const circle of root.querySelectorAll(".map [data-entity]")) {
    circle.classList.toggle("here", name === "writing" || ends.includes(circle.dataset.entity));
  }
}

function onStage({ byPerson }) {
  const { name } = bridges.stage;
  showGraph();
  if (submitText?.nodeType === Node.TEXT_NODE) submitText.data = name === "aside" && !practising ? `${sentence("put-aside")} ` : submitWords;
  refresh();
  if (!byPerson || name !== "writing") return;
  question.field.focus({ preventScroll: true });
  scrollTo(0, 0);
  announce(sentence("field-open"));
}

/* the hops */

function goHop(number) {
  const hop = hops[number - 1];
  if (!hop || bridges.stage.name !== "writing") return false;
  here = number - 1;
  hop.focus({ preventScroll: true });
  reveal(hop);
  return true;
}

function current() {
  return hops.find((hop) => hop.contains(document.activeElement)) ?? hops[here];
}

function fold() {
  const box = current()?.querySelector("details");
  if (box) box.open = !box.open;
}

function foldAll() {
  const boxes = [...root.querySelectorAll(".hop-card details")];
  const open = !boxes.some((box) => box.open);
  for (const box of boxes) box.open = open;
}

/** Whoever is pointed at is marked wherever they are mentioned. */
function light(entity) {
  for (const place of root.querySelectorAll("[data-entity]")) place.classList.toggle("lit", place.dataset.entity === entity);
}

function bindPointing() {
  const entityOf = (target) => target.closest?.("[data-entity]")?.dataset.entity ?? "";
  for (const kind of ["pointerover", "focusin"]) root.addEventListener(kind, ({ target }) => light(entityOf(target)));
  root.addEventListener("pointerleave", () => light(""));
  root.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#hop-']");
    const circle = event.target.closest(".map [data-entity]");
    const number = Number(link?.hash.slice("#hop-".length) ?? circle?.dataset.entity);
    if (number && goHop(number)) event.preventDefault();
  });
}

function bindKeys() {
  bind("type", () => (bridges.stage.name === "writing" ? typeInto(question.field) : false));
  bind("fold", fold);
  bind("fold-all", foldAll);
  bindPattern(/^[1-9]$/, (event) => goHop(Number(event.key)));
  question.field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) goHop(here + 1);
  });
  if (fixed) return;
  for (const judgment of ["same", "different", "unsure"]) bind(judgment, () => bridges.judge(judgment));
  bind("undo-bridge", () => bridges.undo());
  bind("undo", () => bridges.undo());
}

/** What the list under the field says already is not said again by the server: Submit leads there. In practice the
 * server says it in whole sentences. */
function stopAtFindings(event) {
  const things = missing();
  if (practising || bridges.stage.name !== "writing" || !things.length || !question.isChecked) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  goTo(`control-${things[0].field}`);
  announce(question.found().map(({ text }) => text).join("; "));
}

function load(state) {
  form.elements.why.value = state.why;
  bridges.set(state.bridges);
  question.set(state.question, state.pasted, state.overrides);
  form.dispatchEvent(new CustomEvent("answer:change"));
}

onItem(() => {
  form = document.getElementById("work");
  root = document.getElementById("compose");
  fixed = "readonly" in form.dataset;
  practising = "practice" in form.dataset;
  submitText = document.querySelector(`.work-acts > button[type="submit"][form="${form.id}"]`)?.firstChild;
  submitWords = submitText?.data;
  hops = [...root.querySelectorAll(".hop-card")];
  here = 0;
  question = new Question(form, { changed: () => refresh() });
  bridges = new Bridges(root.querySelector(".bridges"), form, { changed: onStage });
  const total = bridges.given.length;
  form.addEventListener("draft:restore", ({ detail }) => load(stateOf(detail.fields, total)));
  form.addEventListener("draft:load", ({ detail }) => load(stateOfDraft(detail.draft, total)));
  form.addEventListener("submit", stopAtFindings);
  bindPointing();
  bindKeys();
  question.heard();
  bridges.show();
  startFrame({ alike, fieldsOf: (stored) => fieldsOf(stateOfDraft(stored, total)) });
});
