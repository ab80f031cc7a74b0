// The page of a rubric. One criterion is lit: digits answer it and light the next one, arrows go through them. Those
// whose condition does not hold are hidden, and their answers stay in the form.
import { Decisions, startDecisions } from "../../js/decisions.js";
import { folded } from "../../js/folding.js";
import { showMissing } from "../../js/frame.js";
import { onItem } from "../../js/item.js";
import { bind, bindPattern, typeInto } from "../../js/keys.js";
import { prefetch } from "../../js/prefetch.js";
import { ReadingTools } from "../../js/reading.js";
import { sentence } from "../../js/texts.js";
import { Marks } from "./marks.js";
import { Ranking } from "./ranking.js";

const ONE_BY_ONE = matchMedia("(max-width: 56rem)");
const CHOSEN_BY_ONE_KEY = ["scale", "choice", "best"];
const LONGEST = 40; // characters of a question among what is missing
const UNCLEAR = /^[+-]?[1-9]\d{0,2},\d{3}(?!\d)/; // a thousand to some and one to others; the server takes neither

function shortened(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** One fieldset.criterion: a question about the record or about an element of a list. */
class Criterion {
  constructor(element) {
    const { kind, name, row, required } = element.dataset;
    Object.assign(this, { element, kind, name, row, required: required !== undefined, hidden: false });
    this.conditions = Object.entries(JSON.parse(element.dataset.if ?? "{}"));
    this.options = [...element.querySelectorAll("[type=radio], [type=checkbox]")];
    this.field = this.options.length ? null : element.querySelector("[name]");
    this.filter = element.querySelector("[data-filter]");
    this.ranking = kind === "order" ? new Ranking(element, this.field) : null;
    this.ask = element.querySelector("legend").textContent.trim().split("\n")[0].trim();
  }

  get values() {
    return this.options.filter((option) => option.checked).map(({ value }) => value);
  }

  get isGiven() {
    if (this.options.length) return this.options.some((option) => option.checked);
    if (this.ranking) return this.ranking.isComplete;
    const { value, dataset } = this.field;
    if (this.kind !== "number" || !value.trim()) return Boolean(value.trim());
    const text = value.trim();
    const number = UNCLEAR.test(text) ? NaN : Number(text.replace(",", "."));
    return number >= Number(dataset.low) && number <= Number(dataset.high);
  }

  /** Where one types to answer it, if it is answered so. */
  get typed() {
    return this.filter ?? (["number", "text"].includes(this.kind) ? this.field : null);
  }

  /** Show only the options that have what is typed. */
  narrow() {
    const wanted = folded(this.filter.value).text.trim();
    for (const option of this.options) {
      const label = option.closest("label");
      label.hidden = !folded(label.textContent).text.includes(wanted);
    }
  }
}

class Criteria extends Decisions {
  constructor(form) {
    super(form);
    this.fixed = "readonly" in form.dataset;
    this.criteria = [...form.querySelectorAll("fieldset.criterion")].map((element) => new Criterion(element));
    this.all = this.criteria.map(({ element }) => element);
    this.byName = new Map(this.criteria.map((each) => [`${each.name} ${each.row}`, each]));
    this.waits = "waits" in this.bar.dataset;
    this.marks = new Marks(form, this);
    this.counter = form.querySelector("[data-at]");
    this.hide();
  }

  get lit() {
    return this.criteria[this.at];
  }

  get open() {
    return this.criteria.findIndex((each) => this.isOpen(each));
  }

  /** A text to be corrected counts as given, but the page begins with it and not behind it. */
  get first() {
    let at = super.first;
    while (this.criteria[at - 1] && "prefilled" in this.criteria[at - 1].element.dataset) at -= 1;
    return at;
  }

  get said() {
    return this.criteria.flatMap(({ hidden, options }) => (hidden ? [] : options))
      .filter((option) => option.checked).slice(0, 4).map((option) => option.dataset.said).join(", ");
  }

  isOpen(each) {
    const isNeeded = each.required || (each.kind === "number" && each.field.value.trim());
    return !each.hidden && Boolean(isNeeded) && !each.isGiven;
  }

  isAsked({ conditions, row }) {
    return conditions.every(([name, values]) => {
      const other = this.byName.get(`${name} ${row}`) ?? this.byName.get(`${name} `);
      return other && this.isAsked(other) && other.values.some((value) => values.includes(value));
    });
  }

  /** The next (1) or the previous (-1) criterion that is asked; -1 without one. */
  beside(step) {
    let at = this.at + step;
    while (this.criteria[at]?.hidden) at += step;
    return this.criteria[at] ? at : -1;
  }

  show(at, { quiet = false } = {}) {
    const isFirst = this.at < 0;
    const before = this.lit;
    this.at = this.criteria[at].hidden ? this.criteria.findLastIndex(({ hidden }) => !hidden) : at;
    for (const lit of [before, this.lit]) {
      lit?.element.toggleAttribute("data-now", lit === this.lit);
      const row = lit?.element.closest(".rated");
      row?.toggleAttribute("data-now", row.contains(this.lit.element));
    }
    const shown = this.criteria.filter(({ hidden }) => !hidden);
    this.counter.textContent = `${shown.indexOf(this.lit) + 1} / ${shown.length}`;
    this.counter.parentElement.hidden = shown.length < 2;
    this.marks.draw();
    if (isFirst || quiet) return;
    if (ONE_BY_ONE.matches) this.steady.restart();
    const typed = this.lit.required && !ONE_BY_ONE.matches ? this.lit.typed : null;
    (typed ?? this.lit.element).focus({ preventScroll: true });
    if (before?.row !== this.lit.row) this.lit.element.closest(".rated").scrollIntoView({ block: "nearest" });
    this.lit.element.scrollIntoView({ block: "nearest" });
  }

  step(by) {
    const at = this.beside(by);
    if (at >= 0) this.show(at);
    return at >= 0;
  }

  back() {
    return this.step(-1);
  }

  /** To the next criterion; after the last one to one that was passed over, or off with the response. */
  goOn() {
    if (this.step(1)) return;
    if (this.open >= 0) this.show(this.open);
    else if (!this.waits && !this.fixed) this.form.requestSubmit();
  }

  byDigit(digit) {
    const { lit, fixed } = this;
    if (fixed || !this.steady.allowed) return true;
    if (lit.ranking) return lit.ranking.place(digit) && (!lit.isGiven || this.step(1) || true);
    if (lit.kind === "mark") return this.marks.mark(lit, digit - 1);
    if (lit.kind === "number") return this.typeDigit(digit);
    const option = lit.element.querySelector(`[data-digit="${digit}"]`);
    if (!option) return false;
    if (lit.kind === "choices") option.click();
    else this.choose(option);
    return true;
  }

  typeDigit(digit) {
    const { field } = this.lit;
    field.focus();
    field.value += digit;
    return field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  bindKeys() {
    bindPattern(/^[0-9]$/, ({ key }) => this.byDigit(Number(key)));
    bind("up", () => this.step(-1));
    bind("down", () => this.step(1));
    bind("go-on", ({ target }) => {
      if (target.closest("a, button, summary, .remarks")) return false;
      if (this.steady.allowed) this.goOn();
      return true;
    });
    bind("comment", () => typeInto(this.lit.typed ?? this.criteria.findLast((each) => each.typed && !each.hidden)?.typed));
    bind("mark", () => this.marks.start());
    bind("unmark", () => this.marks.removeLast());
  }

  bindPointer() {
    const of = (target) => this.all.indexOf(target.closest("fieldset.criterion"));
    this.form.addEventListener("focusin", ({ target }) => {
      const at = of(target);
      if (at >= 0 && at !== this.at) this.show(at, { quiet: true });
    });
    this.bar.addEventListener("click", (event) => {
      const { target, detail } = event;
      const turn = target.closest("[data-turn]");
      if (turn) return this.step(Number(turn.dataset.turn));
      if (!detail || !target.matches("[type=radio]")) return undefined;
      if (this.fixed || this.busy || !this.steady.settled(event)) return event.preventDefault();
      if (of(target) !== this.at) this.show(of(target), { quiet: true });
      return this.choose(target);
    });
    this.form.addEventListener("input", ({ target }) => {
      if (target.matches("[data-filter]")) this.lit.narrow();
      else this.tellMissing();
    });
    this.form.addEventListener("keydown", (event) => this.onEnter(event));
  }

  /** Enter in a line of text goes on; in a filter it takes the first option. */
  onEnter(event) {
    const { key, ctrlKey, metaKey, isComposing, target } = event;
    if (key !== "Enter" || ctrlKey || metaKey || isComposing || !target.matches(".criterion [type=text], [data-filter]")) return;
    if (target !== this.lit.filter || !target.value) return this.goOn();
    const { lit } = this;
    const first = lit.options.find((option) => !option.closest("label").hidden);
    if (!first) return;
    target.value = "";
    lit.narrow();
    if (lit.kind === "choices") first.click();
    else this.choose(first);
  }

  /** Hide what is not asked. */
  hide() {
    for (const each of this.criteria) {
      each.hidden = !this.isAsked(each);
      if (each.element.hidden !== each.hidden) each.element.hidden = each.hidden;
      each.ranking?.draw();
    }
  }

  tellMissing() {
    this.hide();
    this.marks.draw();
    const missing = this.criteria.filter((each) => this.isOpen(each));
    if (this.sendsAtOnce) document.querySelector(".work-foot").toggleAttribute("data-needed", !missing.length);
    const text = missing.length > 1 ? sentence("missing-answers", { n: missing.length }) : shortened(missing[0]?.ask ?? "");
    showMissing(missing.slice(0, 1).map(({ element }) => ({ field: element.id.replace(/^control-/, ""), text })));
    if (missing.length === 1 && CHOSEN_BY_ONE_KEY.includes(missing[0].kind)) prefetch(this.form);
    if (this.at >= 0 && this.lit.hidden) this.show(Math.max(this.open, 0), { quiet: true });
  }
}

onItem(() => {
  const form = document.getElementById("work");
  const above = form.querySelector(".wide > .evidence");
  document.documentElement.style.setProperty("--above", `${above?.offsetHeight ?? 0}px`); // what sticks above the rows
  const { decisions } = startDecisions(Criteria);
  if (!document.getElementById("paragraphs")) return;
  const tools = new ReadingTools(form, { changed: () => tools.showView() });
  tools.bindKeys();
  tools.bindButtons();
  tools.list.apply();
  decisions.marks.reading = tools;
});
