// Where a typed answer stands: the same places, in the same order, as annotation/pure/text/spans.py finds when a
// response is submitted. tests/places.json has cases for both.
import { toCodePoint } from "./offsets.js";

const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+"; // Python's \s
const WORD = "[\\p{L}\\p{N}_]"; // Python's \w

function escaped(word) {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[iİı]/giu, "[iİı]"); // Python takes them for one letter
}

function patternsOf(answer) {
  const words = answer.split(new RegExp(SPACE, "u")).filter(Boolean);
  if (!words.length) return [];
  const exact = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join(SPACE);
  const any = words.map(escaped).join(SPACE);
  const whole = (words) => `(?<!${WORD})${words}(?!${WORD})`;
  return [new RegExp(whole(exact), "gu"), new RegExp(whole(any), "giu"), new RegExp(any, "giu")];
}

/**
 * Every place [{paragraph, start, end}] of an answer, in code points: whole words in its own case; if none, in any
 * case; if none, parts of words. Paragraphs in `first` come before the others.
 */
export function placesOf(answer, texts, first = []) {
  const order = [...first, ...texts.keys()].filter((paragraph, k, all) => all.indexOf(paragraph) === k);
  for (const pattern of patternsOf(answer)) {
    const places = order.flatMap((paragraph) => [...texts[paragraph].matchAll(pattern)].map((match) => ({
      paragraph,
      start: toCodePoint(texts[paragraph], match.index),
      end: toCodePoint(texts[paragraph], match.index + match[0].length),
    })));
    if (places.length) return places;
  }
  return [];
}
