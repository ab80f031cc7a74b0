// The paragraphs of a page to answer from: walking, searching and ticking by keys, and words selected as an answer.
import { Caret } from "./caret.js";
import { bind } from "./keys.js";
import { toCodePoint, wholeWords } from "./offsets.js";
import { ParagraphList } from "./paragraphs.js";
import { PointerSelection } from "./pointer_selection.js";
import { select, selected, textOf } from "./ranges.js";
import { Search } from "./search.js";
import { announce, sentence } from "./texts.js";

/** The list of paragraphs with its tools: walking, searching, folding, hiding, order and filter. */
export class ReadingTools {
  constructor(form, { changed }) {
    this.element = document.getElementById("paragraphs");
    this.list = new ParagraphList(this.element, { name: `view:${form.dataset.assignment}`, changed });
    this.search = new Search(document.getElementById("search"), document.getElementById("search-result"), this.list);
  }

  showView() {
    const { pin, hidden, sort, filter, folded } = this.list.view;
    document.getElementById("pin")?.setAttribute("aria-pressed", String(pin)); // without ticks there is none
    document.getElementById("fold-all").setAttribute("aria-pressed", String(folded.length >= this.list.items.length));
    document.getElementById("sort").value = sort;
    document.getElementById("filter").value = filter;
    const back = document.getElementById("show-hidden");
    back.hidden = !hidden.length;
    back.querySelector("span").textContent = hidden.length;
    document.getElementById("nothing").hidden = this.list.shown().length > 0;
    this.search.paint();
  }

  bindKeys() {
    const { list, search } = this;
    bind("search", () => { search.input.focus(); search.input.select(); });
    bind("next", () => list.move(1));
    bind("previous", () => list.move(-1));
    bind("fold", () => list.here() && list.toggle("folded", list.here().position));
    bind("fold-all", () => list.foldAll());
    bind("hide", () => list.here() && list.hide(list.here()));
    bind("pin", () => list.change({ pin: !list.view.pin }));
    bind("sort", cycle("sort"));
    bind("filter", cycle("filter"));
  }

  bindButtons() {
    const { list } = this;
    const onClick = {
      pin: () => list.change({ pin: !list.view.pin }),
      "fold-all": () => list.foldAll(),
      "show-hidden": () => list.change({ hidden: [] }),
      "show-all": () => list.change({ hidden: [], filter: "all" }),
    };
    for (const [id, run] of Object.entries(onClick)) document.getElementById(id)?.addEventListener("click", run);
    for (const id of ["sort", "filter"]) {
      document.getElementById(id).addEventListener("change", ({ target }) => list.change({ [id]: target.value }));
    }
  }
}

export class Reading extends ReadingTools {
  /**
   * Of the page: `changed()` draws it anew; `refusal()` is why no words can be the answer now, "" if they can; `now()`
   * is the place of the answer as it is, or null; `take(place, words)` makes words the answer; `enter(position)` says
   * whether Enter on a paragraph was for the page, and is not to begin a selection.
   */
  constructor(form, { changed, refusal, now, take, enter = () => false }) {
    super(form, { changed });
    Object.assign(this, { form, changed, refusal, now, take, enter, pointer: null });
    this.fixed = "readonly" in form.dataset;
    this.caret = new Caret(this.list, { hint: document.getElementById("caret-hint"), set: () => this.setFromSelection() });
  }

  /** Whether no touch selection is being made, so that marks may change the text. */
  get settled() {
    return this.pointer?.settled ?? true;
  }

  showTicks() {
    for (const item of this.list.items) item.element.toggleAttribute("data-ticked", this.list.isTicked(item));
  }

  /** The selected words as an answer: a span of a text, or of a text that holds a title's words; null without any. */
  chosen() {
    const inText = selected(this.list.items.map((item) => item.text));
    if (inText) return inText;
    const inTitle = selected(this.list.items.map((item) => item.title));
    if (!inTitle) return null;
    const words = textOf(inTitle.root).slice(inTitle.start, inTitle.end);
    const { text } = this.list.holding(inTitle.root);
    const start = textOf(text).indexOf(words);
    return start < 0 ? null : { root: text, start, end: start + words.length };
  }

  /** Take the selection as the answer; false without one. A pointer easily misses a letter: its range grows to whole
   * words, unless it is a part of the answer as it is, which is how one takes a part of a word. */
  setFromSelection({ byPointer = false } = {}) {
    let span = this.fixed || this.refusal() ? null : this.chosen();
    if (!span) return false;
    const item = this.list.holding(span.root);
    const text = textOf(item.text);
    const now = this.now();
    let place = placeOf(item, span);
    const isHere = now?.paragraph === place.paragraph;
    if (byPointer && !(isHere && now.start <= place.start && place.end <= now.end)) {
      span = { ...span, ...wholeWords(text, span) };
      place = placeOf(item, span);
    }
    this.list.current = item;
    if (isHere && now.start === place.start && now.end === place.end) return true;
    const words = text.slice(span.start, span.end);
    this.take(place, words);
    if (this.settled) select(span.root, span.start, span.end);
    this.caret.end();
    announce(sentence("answer-set", { text: words, number: item.position + 1 }));
    return true;
  }

  setByKey() {
    if (this.refusal()) announce(this.refusal());
    else if (!this.setFromSelection()) announce(sentence("select-first"));
  }

  beginSelecting() {
    if (this.refusal()) return announce(this.refusal());
    const found = this.search.here();
    if (found && found.item === this.list.here()) return this.caret.beginAt(found.item, found.range);
    const item = this.list.here();
    return item && this.caret.begin(item);
  }

  tickHere() {
    const item = this.list.here();
    const box = item?.tick ?? item?.ticks.find((each) => document.activeElement === each) ?? item?.ticks[0];
    if (!box || box.disabled) return;
    box.click();
    announce(sentence(box.checked ? "ticked" : "unticked", { number: item.position + 1 }));
  }

  bindKeys() {
    super.bindKeys();
    bind("tick", () => this.tickHere());
    bind("select", () => this.beginSelecting());
    bind("answer", () => this.setByKey());
  }

  bindButtons() {
    super.bindButtons();
    this.element.addEventListener("keydown", (event) => {
      const plain = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
      if (!plain || event.target.dataset.paragraph === undefined || this.caret.on) return;
      event.preventDefault();
      if (!this.enter(Number(event.target.dataset.paragraph))) this.beginSelecting();
    });
    bindQuestion();
  }

  bindPointer() {
    this.pointer = new PointerSelection(this.element, {
      find: () => this.chosen(),
      take: () => this.setFromSelection({ byPointer: true }),
      busy: () => this.caret.on,
      rested: () => this.changed(), // a mark may change the text again
    });
  }
}

/** A UTF-16 range of an item's text as a place. */
function placeOf(item, { start, end }) {
  const text = textOf(item.text);
  return { paragraph: item.position, start: toCodePoint(text, start), end: toCodePoint(text, end) };
}

function cycle(id) {
  return () => {
    const control = document.getElementById(id);
    control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
    control.dispatchEvent(new Event("change", { bubbles: true }));
    announce(control.selectedOptions[0].textContent);
  };
}

/** On a phone the question can be one line; the next item's is whole again. */
function bindQuestion() {
  const button = document.getElementById("fold-question");
  button.addEventListener("click", () => button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") !== "true")));
}
