// A typed answer, looked up in the paragraphs while somebody types, as the server does when the response is submitted.
import { atEnd } from "./item.js";
import { toUnit } from "./offsets.js";
import { beforeSending } from "./pending_input.js";
import { placesOf } from "./places.js";
import { rangeOf, textOf } from "./ranges.js";
import { announce } from "./texts.js";

const REST = 250; // milliseconds without typing before a look
const SILENCE = 1000; // and before screen readers hear of it

function isSame(place, other) {
  return ["paragraph", "start", "end"].every((name) => place[name] === other[name]);
}

function byPlace(one, other) {
  return one.paragraph - other.paragraph || one.start - other.start;
}

export class TypedAnswer {
  /** `changed` is called when typing rests; `words(found)` says what was found, for screen readers. */
  constructor(list, { changed, words }) {
    Object.assign(this, { list, changed, words, text: "", said: "", looking: 0, speaking: 0 });
    this.highlights = globalThis.CSS?.highlights;
    atEnd(() => this.stop());
    beforeSending(() => this.looking && this.settle(), { keys: false });
  }

  /** Wait until typing in the field rests, or the field is left. `read` returns the state. */
  watch(field, read) {
    field.addEventListener("input", () => {
      this.stop();
      this.looking = setTimeout(() => this.settle(), REST);
      this.speaking = setTimeout(() => this.say(read()), SILENCE);
    });
    field.addEventListener("change", () => this.looking && this.settle());
  }

  stop() {
    clearTimeout(this.looking);
    clearTimeout(this.speaking);
    this.looking = 0;
  }

  settle() {
    clearTimeout(this.looking);
    this.looking = 0;
    this.changed();
  }

  say(state) {
    const words = this.words(this.found(state));
    if (words && words !== this.said) announce(words);
    this.said = words;
  }

  /**
   * Where a state's answer stands: {places, at, place, chosen}, or null if nothing was typed. `at` is -1 if it stands
   * nowhere. Without a choice it is the place that the server takes: the first, or the first in a ticked paragraph.
   * `chosen`: it is the only place, or somebody chose it.
   */
  found(state) {
    const isSpan = state.kind === "span";
    if (!(isSpan || state.kind === "text") || state.answerable === "no") return null;
    if (!isSpan && !this.looking) this.text = state.text;
    if (!state.text.trim() || !this.text.trim()) return null;
    const { items } = this.list;
    const ticked = items.filter((item) => this.list.isTicked(item)).map((item) => item.position);
    const found = placesOf(this.text, items.map((item) => textOf(item.text)), ticked);
    const place = found.find((each) => !isSpan || isSame(each, state));
    if (isSpan && !place) return null;
    const places = found.sort(byPlace);
    return { places, at: places.indexOf(place), place, chosen: isSpan || places.length === 1 };
  }

  rangeAt(place) {
    const root = this.list.at(place.paragraph).text;
    const text = textOf(root);
    return rangeOf(root, toUnit(text, place.start), toUnit(text, place.end));
  }

  /** The place among several that holds a point of the window; null for none. */
  placeUnder(found, { clientX: x, clientY: y }) {
    const holds = ({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom;
    return found.places.find((place) => [...(this.rangeAt(place)?.getClientRects() ?? [])].some(holds)) ?? null;
  }

  /** Light the other places where there are several. */
  paint(found) {
    const others = found ? found.places.filter((place, k) => k !== found.at) : [];
    this.highlights?.set("place", new Highlight(...others.map((place) => this.rangeAt(place)).filter(Boolean)));
  }
}
