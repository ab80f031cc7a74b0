// Between places in a text (UTF-16 offsets) and places on the page. A text is the joined `data-piece` elements of a
// root; what else is in the root (tick boxes, white space of the template) does not count.
import { trimmed } from "./offsets.js";

function textNodes(root) {
  const nodes = [];
  for (const piece of root.querySelectorAll("[data-piece]")) {
    const walker = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) nodes.push(walker.currentNode);
  }
  return nodes;
}

/** The stored text of a root, character for character. */
export function textOf(root) {
  return textNodes(root).map((node) => node.data).join("");
}

/** UTF-16 offset in the root's text of a boundary point anywhere in the document; outside counts as the nearer end. */
export function unitOf(root, node, offset) {
  const before = document.createRange();
  before.setStart(root, 0);
  before.setEnd(node, offset);
  if (before.startContainer !== root) return 0;
  let units = 0;
  for (const text of textNodes(root)) {
    if (text === node) return units + offset;
    if (before.comparePoint(text, 0) > 0) return units;
    units += text.length;
  }
  return units;
}

function segments(root, start, end) {
  const found = [];
  let at = 0;
  for (const node of textNodes(root)) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, node.length);
    if (from < to) found.push({ node, from, to });
    at += node.length;
  }
  return found;
}

/** A DOM range over [start, end) of the root's text; null when that is empty. */
export function rangeOf(root, start, end) {
  const parts = segments(root, start, end);
  if (!parts.length) return null;
  const range = document.createRange();
  range.setStart(parts[0].node, parts[0].from);
  range.setEnd(parts.at(-1).node, parts.at(-1).to);
  return range;
}

/** Wrap [start, end) in <mark> elements of a class; the first also gets the class "first". */
export function wrap(root, start, end, className) {
  segments(root, start, end).forEach(({ node, from, to }, k) => {
    const middle = from ? node.splitText(from) : node;
    if (middle.length > to - from) middle.splitText(to - from);
    const mark = document.createElement("mark");
    mark.className = k ? className : `${className} first`;
    middle.replaceWith(mark);
    mark.append(middle);
  });
}

/** Take away the marks of a class anywhere below an element. */
export function unwrap(below, className) {
  for (const mark of below.querySelectorAll(`mark.${className}`)) {
    const parent = mark.parentNode;
    mark.replaceWith(...mark.childNodes);
    parent.normalize();
  }
}

/** The selection inside one of the roots as {root, start, end}, cut to the root it began in; null for none. */
export function selected(roots) {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const holds = (node) => roots.find((root) => root.contains(node));
  const root = holds(selection.anchorNode) || holds(selection.focusNode);
  if (!root) return null;
  const range = selection.getRangeAt(0);
  const start = unitOf(root, range.startContainer, range.startOffset);
  const end = unitOf(root, range.endContainer, range.endOffset);
  const cut = trimmed(textOf(root), start, end);
  return cut && { root, ...cut };
}

/** Show [start, end) of the root as the browser's selection, backwards if asked. */
export function select(root, start, end, { backwards = false } = {}) {
  const range = rangeOf(root, start, end);
  if (!range) return;
  const ends = [range.startContainer, range.startOffset, range.endContainer, range.endOffset];
  const [a, b, c, d] = backwards ? [...ends.slice(2), ...ends.slice(0, 2)] : ends;
  document.getSelection().setBaseAndExtent(a, b, c, d);
}
