// One spelling for what people type in several, as annotation/pure/text/normalization.py has it; tests/places.json has cases.
const QUOTES = new Map([
  ...[..."\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u02c8\u055a\u05f3\ua78c\u00b4`\u2039\u203a"]
    .map((sign) => [sign, "'"]),
  ...[..."\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u05f4\u301d\u301e\u301f\u02ba"].map((sign) => [sign, '"']),
]);
const DASH = /^[\p{Pd}\u2212\u2043]$/u;
const INVISIBLE = /^[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f]$/u;
const SPACE = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/; // Python's isspace
const MARK = /^\p{M}/u;
const GAP = /\s*-[-\s]*|\s+/g;
const DOT = "\u0307";

function foldedSign(sign) {
  if (QUOTES.has(sign)) return QUOTES.get(sign);
  if (sign === "\u0130" || sign === "\u0131") return "i";
  if (DASH.test(sign)) return "-";
  if (INVISIBLE.test(sign)) return "";
  if (SPACE.test(sign)) return " ";
  if (sign.normalize("NFKD").startsWith(" ")) return sign; // an accent by itself, which belongs to no letter
  const apart = sign.normalize("NFKD").toLowerCase().toUpperCase().toLowerCase();
  return [...apart].map((each) => QUOTES.get(each) ?? each).join("").normalize("NFKD");
}

/** {text, origins}: the text folded, and for each of its UTF-16 units the code point of `text` that it comes from. */
export function folded(text) {
  const signs = [...text].map(foldedSign);
  for (let k = 1; k < signs.length; k += 1) if (signs[k] === DOT && signs[k - 1] === "i") signs[k] = "";
  return { text: signs.join("").normalize("NFD"), origins: signs.flatMap((sign, k) => Array(sign.length).fill(k)) };
}

/** A regular expression's source that finds the words in folded texts; "" if nothing of them is visible. */
export function patternOf(words) {
  const bare = folded(words).text.trim();
  let [found, at] = ["", 0];
  const literal = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  for (const gap of bare.matchAll(GAP)) {
    const end = gap.index + gap[0].length;
    found += literal(bare.slice(at, gap.index));
    if (!gap[0].includes("-")) found += "\\s+";
    else found += `${gap.index ? "\\s*" : ""}-+${end < bare.length ? "[-\\s]*" : "(?!-)"}`;
    at = end;
  }
  return found + literal(bare.slice(at));
}

/** Whether the text begins with a sign that belongs to the letter before it. */
export function beginsWithMark(text) {
  return MARK.test(text);
}
