// Stored offsets count Unicode code points; a browser's strings and selections count UTF-16 units.

function isHigh(unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Whether a UTF-16 offset stands between the two halves of one code point. */
export function splitsPair(text, unit) {
  return unit > 0 && unit < text.length && isHigh(text.charCodeAt(unit - 1)) && isLow(text.charCodeAt(unit));
}

/** Code points before the UTF-16 offset `unit`; an offset inside a code point counts as the one before it. */
export function toCodePoint(text, unit) {
  let points = 0;
  const end = splitsPair(text, unit) ? unit - 1 : Math.min(unit, text.length);
  for (let k = 0; k < end; k += 1) if (!splitsPair(text, k)) points += 1;
  return points;
}

/** The UTF-16 offset after `point` code points. */
export function toUnit(text, point) {
  let unit = 0;
  for (let k = 0; k < point && unit < text.length; k += 1) unit += splitsPair(text, unit + 1) ? 2 : 1;
  return unit;
}

/** The code points [start, end) of a text. */
export function slice(text, start, end) {
  return text.slice(toUnit(text, start), toUnit(text, end));
}

/** A UTF-16 range grown to whole code points and then rid of white space at its ends; null when nothing is left. */
export function trimmed(text, start, end) {
  let from = splitsPair(text, start) ? start - 1 : start;
  let to = splitsPair(text, end) ? end + 1 : end;
  while (from < to && /\s/.test(text[from])) from += 1;
  while (to > from && /\s/.test(text[to - 1])) to -= 1;
  return from < to ? { start: from, end: to } : null;
}

// Scripts without spaces between words: there a selection is taken as it is.
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u;
const INSIDE = [/^[\p{L}\p{M}]{2}$/u, /^\p{N}{2}$/u]; // between a digit and a letter ("1990s") a selection may end

/** Whether a UTF-16 offset stands inside a word or a number. */
function splitsWord(text, unit) {
  const [before] = text.slice(Math.max(unit - 2, 0), unit).match(/.$/su) ?? [""];
  const [after] = text.slice(unit, unit + 2).match(/^./su) ?? [""];
  return INSIDE.some((pattern) => pattern.test(before + after)) && !UNSPACED.test(before + after);
}

/** A UTF-16 range of whole code points, grown at both ends to whole words. */
export function wholeWords(text, { start, end }) {
  let [from, to] = [start, end];
  while (splitsWord(text, from)) from -= splitsPair(text, from - 1) ? 2 : 1;
  while (splitsWord(text, to)) to += splitsPair(text, to + 1) ? 2 : 1;
  return { start: from, end: to };
}
