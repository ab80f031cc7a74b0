// Candidates in the order of rank: by digits, by dragging, or by buttons. The control has their numbers, the best first.
import { announce, sentence } from "../../js/texts.js";

export class Ranking {
  constructor(element, field) {
    Object.assign(this, { element, field, list: element.querySelector(".ranking") });
    this.entries = [...this.list.children];
    this.list.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-move]");
      if (button && !button.matches(":disabled")) this.move(button.closest("li"), Number(button.dataset.move));
    });
    this.list.addEventListener("pointerdown", (event) => this.drag(event));
  }

  get ranked() {
    return this.field.value.split(" ").filter(Boolean);
  }

  get isComplete() {
    return this.ranked.length === this.entries.length;
  }

  write(numbers) {
    this.field.value = numbers.join(" ");
    this.field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /** Give a candidate the next rank, or take its rank away; begin anew if all have theirs. Who is left is the last. */
  place(number) {
    const name = String(number);
    const numbers = this.entries.map(({ dataset }) => dataset.number);
    if (!numbers.includes(name)) return false;
    const ranked = this.isComplete ? [] : this.ranked;
    const now = ranked.includes(name) ? ranked.filter((each) => each !== name) : [...ranked, name];
    const left = numbers.filter((each) => !now.includes(each));
    this.write(left.length === 1 ? [...now, ...left] : now);
    if (now.includes(name)) announce(sentence("ranked", { rank: now.length, n: name }));
    return true;
  }

  /** Up (-1) or down (1) by one; from then on all have their places. */
  move(entry, step) {
    const other = step < 0 ? entry.previousElementSibling : entry.nextElementSibling;
    if (other) other[step < 0 ? "before" : "after"](entry);
    this.take(entry);
    entry.querySelector(`[data-move="${step}"]`).focus();
  }

  /** Take the order in which they stand. */
  take(entry) {
    const numbers = [...this.list.children].map(({ dataset }) => dataset.number);
    this.write(numbers);
    const n = entry.dataset.number;
    announce(sentence("ranked", { rank: numbers.indexOf(n) + 1, n }));
  }

  drag(event) {
    const entry = event.target.closest("li");
    if (!event.target.closest(".handle") || this.element.matches(":disabled")) return;
    event.preventDefault();
    const stop = new AbortController();
    const { signal } = stop;
    this.list.setPointerCapture(event.pointerId);
    entry.toggleAttribute("data-dragged", true);
    this.list.addEventListener("pointermove", ({ clientY }) => {
      const over = [...this.list.children].find((each) => {
        const { top, bottom } = each.getBoundingClientRect();
        return each !== entry && clientY > top && clientY < bottom;
      });
      if (!over) return;
      const { top, height } = over.getBoundingClientRect();
      over[clientY < top + height / 2 ? "before" : "after"](entry);
    }, { signal });
    for (const kind of ["pointerup", "pointercancel"]) {
      this.list.addEventListener(kind, () => {
        stop.abort();
        entry.removeAttribute("data-dragged");
        this.take(entry);
      }, { signal });
    }
  }

  /** The ranked ones first, in their order, then the others as they were shown. */
  draw() {
    if (this.drawn === this.field.value) return;
    this.drawn = this.field.value;
    const { ranked } = this;
    const rank = ({ dataset }) => ranked.indexOf(dataset.number) + 1 || ranked.length + Number(dataset.number);
    const ordered = [...this.entries].sort((one, other) => rank(one) - rank(other));
    if (ordered.some((entry, k) => entry !== this.list.children[k])) this.list.append(...ordered);
    for (const entry of this.entries) {
      const at = ranked.indexOf(entry.dataset.number);
      entry.querySelector(".rank").textContent = at < 0 ? "" : at + 1;
    }
  }
}
