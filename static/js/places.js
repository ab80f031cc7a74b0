// Where a typed answer stands: the same places, in the same order, as annotation/pure/text/spans.py finds when a
// response is submitted. tests/places.json has cases for both.
import { beginsWithMark, folded, patternOf } from "./folding.js";
import { toCodePoint } from "./offsets.js";

const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+"; // Python's \s
const WORD = "[\\p{L}\\p{N}_]"; // Python's \w

function whole(words) {
  return `(?<!${WORD}|\\p{M})${words}(?!${WORD})`; // an accent before it belongs to a letter
}

function asTyped(answer, text) {
  const words = answer.split(new RegExp(SPACE, "u")).filter(Boolean);
  const exact = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join(SPACE);
  return [...text.matchAll(new RegExp(`${whole(exact)}(?!\\p{M})`, "gu"))].map((match) => (
    { start: toCodePoint(text, match.index), end: toCodePoint(text, match.index + match[0].length) }));
}

// No place begins or ends inside a character or before its accents.
function inAnySpelling(pattern, text) {
  const { text: plain, origins } = folded(text);
  return [...plain.matchAll(new RegExp(pattern, "gu"))].flatMap((match) => {
    const [start, end] = [match.index, match.index + match[0].length];
    const cutsMark = beginsWithMark(plain.slice(start)) || beginsWithMark(plain.slice(end));
    if (cutsMark || origins[end] === origins[end - 1] || (start && origins[start] === origins[start - 1])) return [];
    return [{ start: origins[start], end: origins[end - 1] + 1 }];
  });
}

/**
 * Every place [{paragraph, start, end}] of an answer, in code points: whole words as typed; if none, in another
 * spelling; if none, parts of words. Paragraphs in `first` come before the others.
 */
export function placesOf(answer, texts, first = []) {
  const pattern = patternOf(answer);
  if (!pattern) return [];
  const order = [...first, ...texts.keys()].filter((paragraph, k, all) => all.indexOf(paragraph) === k);
  for (const find of [
    (text) => asTyped(answer, text),
    (text) => inAnySpelling(whole(pattern), text),
    (text) => inAnySpelling(pattern, text),
  ]) {
    const places = order.flatMap((paragraph) => find(texts[paragraph]).map((place) => ({ paragraph, ...place })));
    if (places.length) return places;
  }
  return [];
}
