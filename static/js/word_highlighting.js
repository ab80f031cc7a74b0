// Lighting words: those of a question that occur in a text, without changing the text. And going through mentions.
import { reveal } from "./scrolling.js";

const SMALL = new Set(
  "a an and are as at be been by did do does for from had has have her his how in is it its of on or she he that the "
    .concat("their them they this to was were what when where which who whom whose why will with").split(" "),
);
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** Under what form two words are the same: without case, possessive and a plural's s. */
export function keyOfWord(word) {
  const key = word.normalize("NFKC").toLowerCase().replace(/['’]s?$/, "");
  return key.length > 3 ? key.replace(/s$/, "") : key;
}

/** The words of a text as {key, from, to}; small words are left out. */
export function wordsOf(text) {
  return [...words.segment(text)]
    .filter(({ segment, isWordLike }) => isWordLike && !SMALL.has(segment.toLowerCase()))
    .map(({ segment, index }) => ({ key: keyOfWord(segment), from: index, to: index + segment.length }));
}

// Bridge entities have their own mark and their number, and are left alone.
function* plainNodes(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(".hop")) yield walker.currentNode;
}

function rangesIn(element, wanted) {
  const ranges = [];
  for (const node of plainNodes(element)) {
    for (const { key, from, to } of wordsOf(node.data)) {
      if (!wanted.has(key)) continue;
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Ranges over the words of `questions` that occur in `texts` (elements). */
export function common(questions, texts) {
  const said = questions.flatMap((one) => [...plainNodes(one)]).map((node) => node.data);
  const wanted = new Set(said.flatMap(wordsOf).map(({ key }) => key));
  return texts.flatMap((text) => rangesIn(text, wanted));
}

/**
 * Light, or light no more: in each [data-lit-scope] below the root (or in all of it, where there is none) the words
 * of its [data-lit-from] in its [data-lit-in].
 * Returns how many are lit.
 */
export function toggleLit(root) {
  const lights = globalThis.CSS?.highlights;
  if (!lights || lights.delete("lit")) return 0;
  const all = (place, name) => [...place.querySelectorAll(`[data-lit-${name}]`)];
  const scopes = all(root, "scope");
  const ranges = (scopes.length ? scopes : [root]).flatMap((scope) => common(all(scope, "from"), all(scope, "in")));
  lights.set("lit", new Highlight(...ranges));
  return ranges.length;
}

/** Go to the next [data-mention] that is shown, and from the last to the first. */
export function nextMention(root) {
  const all = [...root.querySelectorAll("[data-mention]")].filter((mention) => mention.checkVisibility());
  const next = all[(all.indexOf(document.activeElement) + 1) % all.length];
  if (!next) return;
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  reveal(next);
}
