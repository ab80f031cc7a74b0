// Search as one types: htmx fetches the ranking, this module hands it to the list and lights the matches.
import { toUnit } from "./offsets.js";
import { rangeOf, textOf } from "./ranges.js";
import { reveal } from "./scrolling.js";

function spansOf(attribute) {
  return (attribute || "").split(",").filter(Boolean).map((span) => span.split("-").map(Number));
}

function ranking(fragment) {
  const rows = [...fragment.querySelectorAll("li[data-paragraph]")].map(({ dataset }) => [
    Number(dataset.paragraph),
    { rank: Number(dataset.rank), spans: spansOf(dataset.spans), titleSpans: spansOf(dataset.titleSpans) },
  ]);
  return new Map(rows);
}

function rangesIn(root, spans) {
  const text = textOf(root);
  return spans.map(([start, end]) => rangeOf(root, toUnit(text, start), toUnit(text, end))).filter(Boolean);
}

export class Search {
  constructor(input, result, list) {
    Object.assign(this, { input, result, list, ranges: [], at: -1 });
    this.highlights = globalThis.CSS?.highlights;
    input.form.addEventListener("submit", (event) => event.preventDefault());
    input.addEventListener("keydown", (event) => this.onKey(event));
    result.addEventListener("htmx:afterSwap", () => this.arrived());
    for (const failed of ["htmx:sendError", "htmx:responseError"]) {
      input.addEventListener(failed, () => { result.textContent = result.dataset.failed; });
    }
    // Whoever is quick types before htmx listens.
    addEventListener("load", () => { if (input.value.trim()) input.dispatchEvent(new Event("search")); }, { once: true });
  }

  arrived() {
    this.at = -1;
    this.list.found(this.input.value.trim() ? ranking(this.result) : null);
  }

  /** Light the matches anew, in the order in which the paragraphs stand. */
  paint() {
    const matches = this.list.matches;
    const items = matches ? this.list.shown().filter((item) => matches.has(item.position)) : [];
    this.ranges = items.flatMap((item) => {
      const { spans, titleSpans } = matches.get(item.position);
      return [...rangesIn(item.title, titleSpans), ...rangesIn(item.text, spans)];
    });
    if (!this.highlights) return;
    this.highlights.set("match", new Highlight(...this.ranges));
    const here = this.ranges[this.at];
    this.highlights.set("match-here", new Highlight(...(here ? [here] : [])));
  }

  /** Go to the next (1) or the previous (-1) match; the focus stays where it is. */
  jump(step) {
    if (!this.ranges.length) return;
    this.at = (this.at + step + this.ranges.length) % this.ranges.length;
    const item = this.list.holding(this.ranges[this.at].startContainer);
    this.list.unfold(item.position);
    this.list.current = item;
    this.paint();
    reveal(this.ranges[this.at]);
  }

  /** Where the current match stands: {item, range}; null without one. */
  here() {
    const range = this.ranges[this.at];
    const item = range && this.list.holding(range.startContainer);
    return item && item.text.contains(range.startContainer) ? { item, range } : null;
  }

  onKey(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.jump(event.shiftKey ? -1 : 1);
    }
    if (event.key === "Escape") {
      event.preventDefault();
      this.list.go(this.list.here());
    }
  }
}
