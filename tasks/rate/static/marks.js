// Words that are marked for a criterion, in the field that it names. Its control has them as "part:start:end", with
// labels "part:start:end:label", with blanks between: parts by their place as shown, offsets in code points.
import { Caret } from "../../js/caret.js";
import { on } from "../../js/item.js";
import { bind } from "../../js/keys.js";
import { toCodePoint, toUnit, wholeWords } from "../../js/offsets.js";
import { rangeOf, selected, textOf } from "../../js/ranges.js";
import { reveal } from "../../js/scrolling.js";
import { announce, sentence } from "../../js/texts.js";

const COLOURS = 4; // of labels; a fifth has the first one's again

/** Spans with another one added; those of its part and label that meet it become one with it. */
function joined(marks, [part, start, end, label]) {
  const meets = (mark) => mark[0] === part && mark[3] === label && mark[1] <= end && start <= mark[2];
  const met = marks.filter(meets);
  const union = [part, Math.min(start, ...met.map((mark) => mark[1])), Math.max(end, ...met.map((mark) => mark[2]))];
  const all = [...marks.filter((mark) => !meets(mark)), label === undefined ? union : [...union, label]];
  return all.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
}

export class Marks {
  /** `page`: the criteria with `lit`, `show(at)` and `tellMissing()`; `reading`: the tools of passages, once there. */
  constructor(form, page) {
    Object.assign(this, { form, page, reading: null, last: null });
    this.all = page.criteria.filter(({ kind }) => kind === "mark");
    this.items = new Map(); // by field, and by row where words of the rated element are marked
    if (!this.all.length) return;
    const list = { element: form.querySelector(".decide"), unfold: (position) => this.unfold(position), go: (item) => this.go(item) };
    const hint = document.getElementById("caret-hint");
    this.caret = new Caret(list, { hint, set: () => this.mark(this.near) });
    on(document, "selectionchange", () => { this.last = this.selection() ?? this.last; });
    on(document, "pointerdown", ({ target }) => { if (!target.closest("[data-mark]")) this.last = null; }, { capture: true });
    for (const button of form.querySelectorAll("[data-mark]")) {
      button.addEventListener("pointerdown", (event) => event.preventDefault()); // which would take the selection away
      button.addEventListener("click", () => this.mark(this.of(button), Number(button.dataset.mark)));
    }
    form.addEventListener("click", ({ target }) => {
      const chip = target.closest("[data-unmark]");
      if (chip && !page.fixed) this.remove(this.of(chip), Number(chip.dataset.unmark));
    });
    bind("next", () => this.walk(1));
    bind("previous", () => this.walk(-1));
  }

  of(element) {
    return this.all.find((each) => each.element.contains(element));
  }

  /** The criterion that marks are for: the lit one, another about the same element, or the first. */
  get near() {
    const { lit } = this.page;
    const asked = this.all.filter(({ hidden }) => !hidden);
    return asked.find((each) => each === lit) ?? asked.find(({ row }) => row === lit.row) ?? asked[0];
  }

  /** The texts in which words can be marked: {text, element, position}, by their places as shown. */
  partsOf({ element, field, row }) {
    const { each } = element.dataset;
    const { of } = field.dataset;
    const name = each === of ? `${of} ${row}` : of;
    if (!this.items.has(name)) {
      const root = each === of ? element.closest(".rated") : this.form;
      const places = root.querySelectorAll(each === of ? "[data-part]" : `[data-field="${CSS.escape(of)}"] :is([data-part], [data-text])`);
      const found = [...places].map((text) => {
        const passage = text.closest("[data-paragraph]");
        const position = Number(passage?.dataset.paragraph ?? text.dataset.part);
        return { text, element: passage ?? text, position: each === of ? 0 : position };
      });
      this.items.set(name, found.sort((one, other) => one.position - other.position));
    }
    return this.items.get(name);
  }

  marksOf({ field }) {
    return field.value.split(" ").filter(Boolean).map((mark) => mark.split(":").map(Number));
  }

  write(criterion, marks) {
    criterion.field.value = marks.map((mark) => mark.join(":")).join(" ");
    criterion.field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  selection() {
    const { near } = this;
    return near ? selected(this.partsOf(near).map(({ text }) => text)) : null;
  }

  /** `m`: mark what is selected, or begin to select by keys. */
  start() {
    const { near, page } = this;
    if (!near || page.fixed) return false;
    if (page.lit !== near) page.show(page.criteria.indexOf(near), { quiet: true });
    if (this.selection()) return this.mark(near);
    const parts = this.partsOf(near);
    const item = parts.find(({ element }) => element.contains(document.activeElement)) ?? parts[this.at ?? 0] ?? parts[0];
    if (item) this.caret.begin(item);
    return true;
  }

  /** Mark the selected words, with the label of that number where the criterion has labels. */
  mark(criterion, number = 0) {
    const button = criterion.element.querySelectorAll("[data-mark]")[number];
    if (!button || this.page.fixed) return false;
    const parts = this.partsOf(criterion);
    let span = selected(parts.map(({ text }) => text)) ?? this.last;
    const item = parts.find(({ text }) => text === span?.root);
    if (!item) return announce(sentence("select-words"));
    const text = textOf(item.text);
    if (!this.caret.on) span = { ...span, ...wholeWords(text, span) };
    const place = [item.position, toCodePoint(text, span.start), toCodePoint(text, span.end), ...(button.dataset.mark ? [number] : [])];
    this.at = parts.indexOf(item);
    this.last = null;
    this.caret.end();
    document.getSelection().removeAllRanges();
    this.write(criterion, joined(this.marksOf(criterion), place));
    this.page.show(this.page.criteria.indexOf(criterion));
    return announce(sentence("marked", { text: text.slice(span.start, span.end) }));
  }

  remove(criterion, number) {
    this.write(criterion, this.marksOf(criterion).filter((_, k) => k !== number));
    criterion.element.focus({ preventScroll: true });
  }

  removeLast() {
    const { near } = this;
    if (near && !this.page.fixed) this.remove(near, this.marksOf(near).length - 1);
  }

  unfold(position) {
    if (this.partsOf(this.near)[0]?.element.dataset.paragraph !== undefined) this.reading?.list.unfold(position);
  }

  go(item) {
    item.element.focus({ preventScroll: true });
    reveal(item.element);
  }

  /** To the next text in which words can be marked. */
  walk(step) {
    if (!this.near) return;
    const parts = this.partsOf(this.near);
    const at = parts.findIndex(({ element }) => element.contains(document.activeElement));
    const next = at < 0 ? parts[0] : parts[Math.min(Math.max(at + step, 0), parts.length - 1)];
    if (next) this.go(next);
  }

  rangesOf(criterion) {
    const parts = this.partsOf(criterion);
    return this.marksOf(criterion).map(([part, start, end, label]) => {
      const root = parts.find(({ position }) => position === part)?.text;
      const text = root ? textOf(root) : "";
      const [from, to] = [toUnit(text, start), toUnit(text, end)];
      return { range: root && rangeOf(root, from, to), words: text.slice(from, to), label };
    });
  }

  /** Light the marks of the lit row in the texts, others faintly, and list each criterion's marks. */
  draw() {
    const { lit } = this.page;
    const found = new Map(["other", ...Array(COLOURS + 1).keys()].map((name) => [`mark-${name}`, []]));
    for (const each of this.all) {
      if (each.hidden || (!each.field.value && !each.drawn)) continue;
      const marks = this.rangesOf(each);
      const isLit = each.row === lit?.row;
      for (const { range, label } of marks) {
        const name = isLit ? `mark-${label === undefined ? 0 : (label % COLOURS) + 1}` : "mark-other";
        if (range) found.get(name).push(range);
      }
      if (each.drawn !== each.field.value) this.list(each, marks);
    }
    for (const [name, ranges] of found) globalThis.CSS?.highlights?.set(name, new Highlight(...ranges));
  }

  list(criterion, marks) {
    criterion.drawn = criterion.field.value;
    criterion.element.querySelector(".marks").replaceChildren(...marks.map(({ words, label }, k) => {
      const [entry, chip, text] = ["li", "button", "bdi"].map((name) => document.createElement(name));
      chip.type = "button";
      chip.className = `chip${label === undefined ? "" : ` mark-${(label % COLOURS) + 1}`}`;
      chip.dataset.unmark = k;
      chip.setAttribute("aria-label", sentence("unmark", { text: words }));
      text.className = "cut";
      text.textContent = words;
      chip.append(text, " ✕");
      entry.append(chip);
      return entry;
    }));
  }
}
