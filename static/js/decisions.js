// Decisions by one key each. A fieldset.decision is one; its radios name their key's action (data-act) or their digit
// (data-digit) and what is said of them afterwards (data-said). Where the bar has data-at-once, the last decision sends
// the answer. With several decisions one is shown at a time, with the [data-step] of the evidence that it is about. A
// task whose decisions have more to them extends Decisions.
import { showMissing, startFrame } from "./frame.js";
import { keepHere, keptHere } from "./browser_storage.js";
import { bind, bindPattern, getPreferences, keyOf, typeInto } from "./keys.js";
import { nextMention, toggleLit } from "./word_highlighting.js";
import { prefetch } from "./prefetch.js";
import { Steady } from "./press_guard.js";
import { sameFields } from "./same_fields.js";
import { announce, sentence } from "./texts.js";
import { offerUndo, remember } from "./undo.js";

/** The fields of a stored draft; a name may have several values. */
function fieldsOf({ fields }) {
  return new URLSearchParams(Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value])));
}

/** Lay fields on the controls of a form. */
function put(form, fields) {
  for (const control of form.querySelectorAll(".decide :is(input, textarea)[name]:not([form])")) {
    if (["radio", "checkbox"].includes(control.type)) control.checked = fields.getAll(control.name).includes(control.value);
    else control.value = fields.get(control.name) ?? "";
  }
}

export class Decisions {
  constructor(form) {
    this.form = form;
    this.bar = form.querySelector(".decisions");
    this.all = [...form.querySelectorAll("fieldset.decision")];
    this.steady = new Steady();
    this.at = -1;
  }

  /** The radio that is chosen in a decision. */
  chosen(decision) {
    return decision.querySelector("input:checked");
  }

  get open() {
    return this.all.findIndex((decision) => !this.chosen(decision));
  }

  /** Where a page begins. */
  get first() {
    return this.open < 0 ? this.all.length - 1 : this.open;
  }

  get sendsAtOnce() {
    return "atOnce" in this.bar.dataset;
  }

  /** What the next page says of them. */
  get said() {
    return this.chosen(this.all.at(-1))?.dataset.said;
  }

  get busy() {
    return Boolean(document.querySelector("button[form=work][data-busy]"));
  }

  /** Show one decision and what it is about; the others wait. */
  show(at) {
    const first = this.at < 0;
    this.at = at;
    if (this.all.length < 2) return;
    this.all.forEach((decision, k) => { decision.hidden = k !== at; });
    for (const part of this.form.querySelectorAll("[data-step]")) part.hidden = Number(part.dataset.step) !== at + 1;
    for (const go of this.form.querySelectorAll("[data-go]")) {
      const step = Number(go.dataset.go) - 1;
      go.toggleAttribute("data-done", Boolean(this.chosen(this.all[step])));
      if (step === at) go.setAttribute("aria-current", "step");
      else go.removeAttribute("aria-current");
    }
    if (first) return;
    this.steady.restart();
    scrollTo(0, 0);
    announce(sentence("step", { number: at + 1, total: this.all.length }));
  }

  /** To the decision before; false if there is none. */
  back() {
    if (this.at <= 0) return false;
    this.show(this.at - 1);
    return true;
  }

  choose(input) {
    if (this.busy) return;
    input.checked = true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    this.goOn();
  }

  /** To the next decision; after the last one to one that was passed over, or off with the answer. */
  goOn() {
    const next = this.at + 1 < this.all.length ? this.at + 1 : this.open;
    if (next >= 0) this.show(next);
    else if (this.sendsAtOnce) this.form.requestSubmit();
  }

  byKey(selector) {
    const input = this.all[this.at].querySelector(selector);
    if (!input || input.disabled) return false;
    if (this.steady.allowed) this.choose(input);
    return true;
  }

  bindKeys() {
    const acts = [...this.form.querySelectorAll("input[data-act]")].map((input) => input.dataset.act);
    for (const act of new Set(acts)) bind(act, () => this.byKey(`input[data-act="${act}"]`));
    bindPattern(/^[1-9]$/, ({ key }) => this.byKey(`input[data-digit="${key}"]`));
  }

  /** Arrows move between radios and choose none for good; a click or a tap means it. */
  bindPointer() {
    this.bar.addEventListener("click", (event) => {
      const { target, detail } = event;
      if (target.dataset.go) return this.show(Number(target.dataset.go) - 1);
      if (!target.matches("fieldset.decision input[type=radio]") || !detail) return undefined;
      if (!this.steady.settled(event) || this.busy) return event.preventDefault();
      return this.choose(target);
    });
  }

  tellMissing() {
    const missing = this.all.filter((decision) => !this.chosen(decision));
    document.querySelector(".work-foot").toggleAttribute("data-needed", !this.sendsAtOnce || !missing.length);
    showMissing(missing.slice(0, 1).map(({ id }) => ({ field: id.replace(/^control-/, ""), text: sentence("decision") })));
  }
}

function bindNote(form) {
  const note = form.querySelector("[data-note]");
  if (!note) return;
  bind("type", () => {
    note.closest("details")?.setAttribute("open", "");
    typeInto(note);
  });
}

/** Light words, or no more; it holds for the pages that come. */
function light(form) {
  const n = toggleLit(form);
  keepHere("lit", n > 0);
  announce(sentence("lit", { n }));
}

/** Open all paragraphs that are folded, or close them all. */
function fold(form) {
  const all = [...form.querySelectorAll(".evidence details.source")];
  const open = all.some((one) => !one.open);
  for (const one of all) one.open = open;
}

function rememberWhatIsSaid(form, decisions) {
  form.addEventListener("work:sent", () => {
    const { said } = decisions;
    const key = getPreferences().off ? "" : keyOf("undo");
    if (said) remember({ url: location.pathname, said, key });
  });
}

/** Start a page that extends work/decision.html; `Kind`: Decisions, or a class that extends it. */
export function startDecisions(Kind = Decisions) {
  const form = document.getElementById("work");
  const decisions = new Kind(form);
  const undo = offerUndo();
  bind("undo", () => decisions.back() || undo?.go());
  bind("light", () => light(form));
  if (keptHere("lit")) toggleLit(form);
  bind("mention", () => nextMention(form));
  bind("fold", () => fold(form));
  decisions.bindKeys();
  decisions.bindPointer();
  bindNote(form);
  form.addEventListener("draft:restore", ({ detail }) => put(form, detail.fields));
  form.addEventListener("draft:load", ({ detail }) => put(form, fieldsOf(detail.draft)));
  for (const kind of ["change", "draft:restore", "draft:load"]) form.addEventListener(kind, () => decisions.tellMissing());
  rememberWhatIsSaid(form, decisions);
  const frame = startFrame({ alike: sameFields, fieldsOf });
  decisions.show(decisions.first);
  decisions.tellMissing();
  if (decisions.sendsAtOnce) prefetch(form);
  return { decisions, ...frame };
}
