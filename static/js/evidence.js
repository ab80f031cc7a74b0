// Decisions and, where the batch asks for it, the words that they rest on (work/_evidence.html): selected in texts with
// data-evidence, and kept as "paragraph:start:end" (as shown, in code points), with blanks between, in a field.
import { Caret } from "./caret.js";
import { startDecisions } from "./decisions.js";
import { onItem } from "./item.js";
import { bind } from "./keys.js";
import { toCodePoint, toUnit } from "./offsets.js";
import { rangeOf, selected, textOf } from "./ranges.js";
import { announce, sentence } from "./texts.js";

/** Spans of one paragraph as [start, end), ordered, those that meet made one. */
export function joined(spans) {
  const found = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

class Evidence {
  constructor(form, field) {
    this.field = field;
    this.roots = [...form.querySelectorAll("[data-evidence]")];
    this.items = this.roots.map((text, position) => ({ text, position, element: text.closest("[data-side]") }));
    const element = form.querySelector(".sides");
    const list = { element, unfold: () => {}, go: (item) => item.element.focus() };
    this.caret = new Caret(list, { hint: document.getElementById("caret-hint"), set: () => this.mark() });
    for (const kind of ["draft:restore", "draft:load"]) form.addEventListener(kind, () => this.draw());
    bind("evidence", () => this.mark());
    bind("nothing", () => this.clear());
    bind("first", () => this.caret.begin(this.items[0]));
    bind("second", () => this.caret.begin(this.items[1]));
    const button = form.querySelector("[data-mark]");
    button.addEventListener("pointerdown", (event) => event.preventDefault()); // which would take the selection away
    button.addEventListener("click", () => this.mark());
    form.querySelector("[data-unmark]").addEventListener("click", () => this.clear());
    this.draw();
  }

  /** The spans by paragraph. */
  get spans() {
    const all = this.roots.map(() => []);
    for (const told of this.field.value.split(" ").filter(Boolean)) {
      const [position, start, end] = told.split(":").map(Number);
      all[position]?.push([start, end]);
    }
    return all;
  }

  set spans(all) {
    this.field.value = all.flatMap((own, k) => joined(own).map(([start, end]) => `${k}:${start}:${end}`)).join(" ");
    this.field.dispatchEvent(new Event("change", { bubbles: true }));
    this.draw();
  }

  mark() {
    const found = selected(this.roots);
    if (!found || this.field.disabled) return announce(sentence("evidence-none"));
    const text = textOf(found.root);
    const all = this.spans;
    all[this.roots.indexOf(found.root)].push([toCodePoint(text, found.start), toCodePoint(text, found.end)]);
    this.spans = all;
    this.caret.end();
    document.getSelection().removeAllRanges();
    return announce(sentence("evidence-marked", { text: text.slice(found.start, found.end) }));
  }

  clear() {
    this.spans = this.roots.map(() => []);
    announce(sentence("evidence-cleared"));
  }

  draw() {
    const ranges = this.spans.flatMap((own, k) => {
      const text = textOf(this.roots[k]);
      return own.map(([start, end]) => rangeOf(this.roots[k], toUnit(text, start), toUnit(text, end)));
    });
    globalThis.CSS?.highlights?.set("evidence", new Highlight(...ranges.filter(Boolean)));
    document.querySelector("[data-unmark]").disabled = !ranges.length;
  }
}

onItem(() => {
  startDecisions();
  const form = document.getElementById("work");
  if (form.elements.evidence) new Evidence(form, form.elements.evidence);
});
