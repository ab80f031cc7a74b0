// The list of paragraphs: walking through it, folding, hiding, pinning, sorting and filtering. Positions are the shown
// ones; an order that the person chooses moves the elements themselves, so that reading and focus order stay one.
import { reveal } from "./scrolling.js";

export class ParagraphList {
  /** `name` is where the view is remembered for this tab; `changed` is called after each change of the view. */
  constructor(element, { name, changed }) {
    Object.assign(this, { element, name, changed, matches: null, current: null });
    this.items = [...element.querySelectorAll("[data-paragraph]")].map((item) => ({
      position: Number(item.dataset.paragraph),
      element: item,
      text: item.querySelector("[data-text]"),
      title: item.querySelector("[data-title]"),
      tick: item.querySelector("input[name=support]"),
      ticks: [...item.querySelectorAll("input[name=support], input[name=fact]")],
      fold: item.querySelector("[data-fold]"),
    }));
    this.view = { sort: "relevance", filter: "all", pin: false, folded: [], hidden: [], ...this.remembered() };
    element.addEventListener("focusin", (event) => { this.current = this.holding(event.target) ?? this.current; });
    element.addEventListener("click", (event) => this.clicked(event));
  }

  remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(this.name)) ?? {};
    } catch {
      return {};
    }
  }

  change(parts) {
    Object.assign(this.view, parts);
    try {
      sessionStorage.setItem(this.name, JSON.stringify(this.view));
    } catch {
      return this.apply(); // without storage the view lasts as long as the page
    }
    return this.apply();
  }

  at(position) {
    return this.items.find((item) => item.position === position);
  }

  holding(node) {
    return this.items.find((item) => item.element.contains(node));
  }

  isTicked(item) {
    return item.ticks.some((box) => box.checked);
  }

  isShown(item) {
    if (this.view.hidden.includes(item.position)) return false;
    if (this.view.filter === "ticked") return this.isTicked(item);
    if (this.view.filter === "matching" && this.matches) return this.matches.has(item.position);
    return true;
  }

  /** All items in the order of the view. */
  ordered() {
    const rank = (item) => (this.matches && this.view.sort === "relevance" ? this.matches.get(item.position)?.rank ?? 1e6 : 0);
    const pinned = (item) => (this.view.pin && this.isTicked(item) ? 0 : 1);
    return [...this.items].sort((a, b) => pinned(a) - pinned(b) || rank(a) - rank(b) || a.position - b.position);
  }

  /** The items that one sees, as they stand. */
  shown() {
    const seen = [...this.element.children].filter((element) => !element.hidden);
    return seen.map((element) => this.items.find((item) => item.element === element)).filter(Boolean);
  }

  apply() {
    const ordered = this.ordered();
    for (const item of ordered) {
      item.element.hidden = !this.isShown(item);
      const folded = this.view.folded.includes(item.position);
      item.text.hidden = folded;
      item.fold.setAttribute("aria-expanded", String(!folded));
      item.element.toggleAttribute("data-ticked", this.isTicked(item));
    }
    this.arrange(ordered.map((item) => item.element));
    this.changed?.();
  }

  arrange(elements) {
    const now = [...this.element.children];
    if (elements.every((element, k) => element === now[k])) return;
    const focused = document.activeElement;
    const selection = document.getSelection();
    const { anchorNode, anchorOffset, focusNode, focusOffset } = selection; // what moves loses them
    this.element.append(...elements);
    if (this.element.contains(focused)) focused.focus({ preventScroll: true });
    if (!this.element.contains(anchorNode) || !this.element.contains(focusNode)) return;
    selection.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
  }

  /** The paragraph that keys act on: the one in focus, or the first in view. */
  here() {
    if (this.current && !this.current.element.hidden) return this.current;
    const top = this.element.getBoundingClientRect().top < 0 ? 120 : -Infinity;
    const shown = this.shown();
    return shown.find((item) => item.element.getBoundingClientRect().bottom > top) ?? shown[0] ?? null;
  }

  go(item) {
    if (!item) return;
    this.current = item;
    item.element.focus({ preventScroll: true });
    reveal(item.element);
  }

  move(step) {
    const shown = this.shown();
    const at = shown.indexOf(this.current);
    const fresh = at < 0 || !this.element.contains(document.activeElement);
    const next = fresh ? shown.indexOf(this.here()) : Math.min(Math.max(at + step, 0), shown.length - 1);
    this.go(shown[next]);
  }

  toggle(list, position) {
    const has = this.view[list].includes(position);
    this.change({ [list]: has ? this.view[list].filter((k) => k !== position) : [...this.view[list], position] });
  }

  unfold(position) {
    if (this.view.folded.includes(position)) this.toggle("folded", position);
  }

  foldAll() {
    const all = this.view.folded.length >= this.shown().length;
    this.change({ folded: all ? [] : this.items.map((item) => item.position) });
  }

  hide(item) {
    const shown = this.shown();
    const next = shown[shown.indexOf(item) + 1] ?? shown[shown.indexOf(item) - 1];
    this.toggle("hidden", item.position);
    this.go(next);
  }

  clicked(event) {
    const button = event.target.closest("button");
    const item = this.holding(event.target);
    if (!button || !item) return;
    if ("fold" in button.dataset) this.toggle("folded", item.position);
    if ("hide" in button.dataset) this.hide(item);
  }

  /** What a search found: Map of position to {rank, spans, titleSpans}; null without a search. */
  found(matches) {
    this.matches = matches;
    this.apply();
    const first = this.shown()[0]?.element;
    if (matches && first && first.getBoundingClientRect().top < 160) reveal(first);
  }
}
