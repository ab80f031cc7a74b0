// Selecting text without a mouse: a selection that walks by words through one paragraph. Arrows move it, with Shift
// they stretch it, + and - add or take a character at its end; Enter (or the key of "answer") sets, Escape leaves.
import { on } from "./item.js";
import { rangeOf, select, textOf, unitOf } from "./ranges.js";
import { reveal } from "./scrolling.js";
import { announce } from "./texts.js";

/** The words of a text as UTF-16 [start, end). */
function wordsOf(text, language) {
  if (!Intl.Segmenter) return [...text.matchAll(/\S+/gu)].map((m) => [m.index, m.index + m[0].length]);
  const segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
  const segments = [...segmenter.segment(text)].filter(({ segment }) => /[\p{L}\p{N}\p{S}]/u.test(segment));
  return segments.map(({ index, segment }) => [index, index + segment.length]);
}

export class Caret {
  /** `hint` is shown while it is on; `set` is called when the person takes the selection. */
  constructor(list, { hint, set }) {
    Object.assign(this, { list, hint, set, item: null });
    on(document, "keydown", (event) => this.onKey(event), { capture: true });
    on(document, "pointerdown", () => this.end());
    list.element.addEventListener("focusout", (event) => {
      if (this.item && !this.item.element.contains(event.relatedTarget)) this.end();
    });
  }

  get on() {
    return this.item !== null;
  }

  /** Begin in a paragraph at [start, end) of its text (UTF-16), or at its first word. */
  begin(item, { start = 0, end = 0 } = {}) {
    this.list.unfold(item.position);
    this.list.go(item);
    this.item = item;
    this.words = wordsOf(textOf(item.text));
    if (!this.words.length) return this.end();
    this.anchor = this.wordAt(start);
    this.focus = Math.max(this.wordAt(Math.max(end - 1, 0)), this.anchor);
    this.hint.hidden = false;
    return this.show(0);
  }

  /** Begin at a DOM range. */
  beginAt(item, range) {
    const start = unitOf(item.text, range.startContainer, range.startOffset);
    this.begin(item, { start, end: unitOf(item.text, range.endContainer, range.endOffset) });
  }

  end() {
    this.item = null;
    this.hint.hidden = true;
  }

  wordAt(unit) {
    const found = this.words.findIndex(([, end]) => end > unit);
    return found < 0 ? this.words.length - 1 : found;
  }

  show(more) {
    this.more = more;
    const [from, to] = [Math.min(this.anchor, this.focus), Math.max(this.anchor, this.focus)];
    const start = this.words[from][0];
    const text = textOf(this.item.text);
    const end = Math.min(Math.max(this.words[to][1] + more, start + 1), text.length);
    select(this.item.text, start, end, { backwards: this.focus < this.anchor });
    announce(text.slice(start, end));
    reveal(rangeOf(this.item.text, ...this.words[this.focus]));
  }

  moveTo(word, { stretch }) {
    this.focus = Math.min(Math.max(word, 0), this.words.length - 1);
    if (!stretch) this.anchor = this.focus;
    this.show(0);
  }

  box(word) {
    return rangeOf(this.item.text, ...this.words[word]).getBoundingClientRect();
  }

  /** The word above (-1) or below (1) the moving end, nearest to it. */
  onNextLine(step) {
    const from = this.box(this.focus);
    const middle = from.left + from.width / 2;
    let best = this.focus;
    let line = null;
    for (let word = this.focus + step; word >= 0 && word < this.words.length; word += step) {
      const box = this.box(word);
      if (Math.abs(box.top - from.top) < from.height / 2) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) > from.height / 2) break;
      const distance = Math.abs(box.left + box.width / 2 - middle);
      if (best === this.focus || distance < this.nearest) [best, this.nearest] = [word, distance];
    }
    return best;
  }

  steps() {
    const forward = getComputedStyle(this.item.text.querySelector("[data-piece]")).direction === "rtl" ? -1 : 1;
    return {
      ArrowRight: () => this.focus + forward,
      ArrowLeft: () => this.focus - forward,
      ArrowDown: () => this.onNextLine(1),
      ArrowUp: () => this.onNextLine(-1),
      Home: () => 0,
      End: () => this.words.length - 1,
    };
  }

  onKey(event) {
    if (!this.on || event.altKey || event.ctrlKey || event.metaKey || event.target !== this.item.element) return;
    const step = this.steps()[event.key];
    if (step) this.moveTo(step(), { stretch: event.shiftKey });
    else if (event.key === "+" || event.key === "=") this.show(this.more + 1);
    else if (event.key === "-") this.show(this.more - 1);
    else if (event.key === "Enter") this.set();
    else if (event.key === "Escape") this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  leave() {
    document.getSelection().removeAllRanges();
    this.end();
  }
}
