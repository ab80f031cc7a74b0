// The page of an ablated question. First solvable or not, with answer and rationale marked in the text; then, both out
// of sight, guessable and necessary. The last decision sends the response.
import { Caret } from "../../js/caret.js";
import { Decisions, startDecisions } from "../../js/decisions.js";
import { showMissing } from "../../js/frame.js";
import { bind, bindPattern } from "../../js/keys.js";
import { toCodePoint, toUnit } from "../../js/offsets.js";
import { PointerSelection } from "../../js/pointer_selection.js";
import { selected, textOf, unwrap, wrap } from "../../js/ranges.js";
import { reveal } from "../../js/scrolling.js";
import { announce, sentence } from "../../js/texts.js";

const PLACE = ["paragraph", "start", "end"];

const form = document.getElementById("work");
const fixed = "readonly" in form.dataset;
const { elements } = form;
const part = (name) => form.querySelector(`[data-part="${name}"]`);
const valueOf = (name) => form.querySelector(`input[name="${name}"]:checked`)?.value ?? "";
const items = [...form.querySelectorAll("[data-paragraph]")].map((element, position) => ({
  element, position, text: element.querySelector("[data-text]"),
}));
const list = { element: document.getElementById("texts-to-read"), unfold() {}, go: ({ element }) => element.focus() };
const found = () => (decisions.marking ? selected(items.map((item) => item.text)) : null);

/** The marked places as {paragraph, start, end}, in code points. */
function marks() {
  const told = elements.marks.value.split(" ").filter(Boolean);
  return told.map((word) => word.split(".").map(Number)).map(([paragraph, start, end]) => ({ paragraph, start, end }));
}

function hasAnswer() {
  return elements.text ? Boolean(elements.text.value.trim()) : valueOf("option") !== "";
}

class Steps extends Decisions {
  get first() {
    return 0;
  }

  get guessing() {
    return this.at > 0;
  }

  get marking() {
    return !fixed && !this.guessing;
  }

  get said() {
    return this.all.map((one) => this.chosen(one)?.dataset.said).filter(Boolean).join(", ");
  }

  /** The two steps are one after the other; of the second, only the decision that is asked is shown. */
  show(at) {
    const hidden = at > 0 && !this.guessing;
    this.at = at;
    this.steady.restart();
    part("solving").hidden = this.guessing;
    part("guessing").hidden = !fixed && at !== 1;
    part("needing").hidden = fixed ? !valueOf("necessary") : at !== 2;
    document.getElementById("step-back").hidden = !this.guessing;
    document.body.dataset.step = this.guessing ? "guessing" : "solving";
    this.tellMissing();
    if (hidden) announce(sentence("hidden-now"));
  }

  choose(input) {
    pointer.settle();
    super.choose(input);
  }

  goOn() {
    if (this.at > 0 && !this.missing().length) this.form.requestSubmit();
    if (this.at === 0 && valueOf("solvable") === "no") this.leave();
  }

  /** To the second step, if the first is complete. */
  leave() {
    const open = this.unsolved();
    if (open.length) return announce(`${sentence("missing")} ${open.map(({ text }) => text).join(", ")}`);
    document.getSelection().removeAllRanges();
    return this.show(1);
  }

  back() {
    if (!this.guessing) return false;
    for (const input of form.querySelectorAll("input[name=guessable], input[name=necessary]")) input.checked = false;
    form.dispatchEvent(new Event("change"));
    return super.back();
  }

  missing() {
    const solved = valueOf("solvable") === "yes";
    const lacks = {
      solvable: !valueOf("solvable"),
      text: solved && !hasAnswer(),
      rationale: solved && !("optional" in elements.rationale.dataset) && !elements.rationale.value.trim(),
      guessable: !valueOf("guessable"),
      necessary: valueOf("guessable") === "yes" && !valueOf("necessary"),
    };
    const open = Object.keys(lacks).filter((field) => lacks[field]);
    return open.map((field) => ({ field, text: sentence(`need-${field === "text" ? "answer" : field}`) }));
  }

  /** What is missing of the first step. */
  unsolved() {
    return this.missing().filter(({ field }) => !["guessable", "necessary"].includes(field));
  }

  tellMissing() {
    if (this.at === 1 && valueOf("guessable") === "yes") return this.show(2);
    part("solution").hidden = valueOf("solvable") !== "yes";
    this.paint();
    const open = this.unsolved();
    const needed = !this.missing().length || (!this.guessing && valueOf("solvable") === "yes");
    document.querySelector(".work-foot").toggleAttribute("data-needed", needed);
    return fixed || showMissing(open.length ? open : this.missing());
  }

  paint() {
    for (const name of ["mark-answer", "mark-rationale"]) unwrap(list.element, name);
    if (this.guessing) return;
    const draw = ({ paragraph, start, end }, name) => {
      const { text } = items[paragraph] ?? {};
      if (text) wrap(text, toUnit(textOf(text), start), toUnit(textOf(text), end), name);
    };
    for (const place of marks()) draw(place, "mark-rationale");
    if (!elements.start?.value) return;
    draw(Object.fromEntries(PLACE.map((name) => [name, Number(elements[name].value)])), "mark-answer");
  }

  /** Something of the first step, as a solvable question has it, was put in. */
  solve() {
    form.querySelector("input[name=solvable][value=yes]").checked = true;
    form.dispatchEvent(new Event("change"));
  }
}

/** Mark the selection as the answer, or as a part of the rationale; without a choice as what is missing. */
function mark(what = elements.text && !hasAnswer() ? "answer" : "rationale") {
  if (!decisions.marking) return undefined;
  const { root, start, end } = found() ?? {};
  if (!root) return announce(sentence("select-first"));
  const text = textOf(root);
  const { position } = items.find((item) => item.text === root);
  const place = { paragraph: position, start: toCodePoint(text, start), end: toCodePoint(text, end) };
  const plain = text.slice(start, end).split(/\s+/).join(" ");
  if (what === "answer") {
    elements.text.value = plain;
    for (const name of PLACE) elements[name].value = place[name];
  } else {
    addRationale(place, plain);
  }
  caret.end();
  document.getSelection().removeAllRanges();
  decisions.solve();
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
  if (!decisions.marking) return;
  for (const control of part("solution").querySelectorAll("[name]")) {
    if (control.type === "radio") control.checked = false;
    else control.value = "";
  }
  form.dispatchEvent(new Event("change"));
}

let at = 0; // the paragraph in which selecting by keys begins

function walk() {
  at = (at + 1) % items.length;
  items[at].element.focus();
  reveal(items[at].element);
}

function bindButtons() {
  for (const button of form.querySelectorAll(".acts button")) button.addEventListener("pointerdown", (event) => event.preventDefault());
  const onClick = {
    "mark-answer": () => mark("answer"),
    "mark-rationale": () => mark("rationale"),
    "clear-marks": clear,
    "go-on": () => decisions.leave(),
    "step-back": () => decisions.back(),
  };
  for (const [id, run] of Object.entries(onClick)) document.getElementById(id)?.addEventListener("click", run);
}

function bindForm() {
  // Submit ends the step at hand; the second one is never passed over unseen.
  form.addEventListener("submit", (event) => {
    if (decisions.guessing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    decisions.leave();
  }, { capture: true });
  document.addEventListener("click", ({ target }) => target.closest?.("#missing a[href='#control-guessable']") && decisions.leave());
  form.addEventListener("input", ({ target }) => {
    if (target.name === "text") for (const name of PLACE) elements[name].value = "";
    if (target.name === "rationale") elements.marks.value = "";
    decisions.tellMissing();
  });
}

const caret = new Caret(list, { hint: document.getElementById("caret-hint"), set: () => mark() });
// The first words that are selected are the answer; a button or a key says what others are.
const pointer = new PointerSelection(list.element, {
  find: found,
  take: () => elements.text && !hasAnswer() && mark("answer"),
  busy: () => caret.on,
  keys: false,
});
bindForm();
bindButtons();
bind("answer", () => elements.text && mark("answer"));
bind("rationale", () => mark("rationale"));
bind("select", () => decisions.marking && caret.begin(items[at]));
bind("next", walk);
bind("clear", clear);
bind("done", () => { pointer.settle(); decisions.leave(); });
bindPattern(/^[1-9]$/, ({ key }) => {
  const option = !decisions.guessing && form.querySelector(`input[name=option][data-digit="${key}"]`);
  if (!option || option.disabled) return false;
  option.checked = true;
  decisions.solve();
  return true;
});
const { decisions } = startDecisions(Steps);
for (const kind of ["draft:restore", "draft:load"]) form.addEventListener(kind, () => decisions.show(0));
document.getElementById("original-title")?.focus();
