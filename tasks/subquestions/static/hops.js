// The rows of the sub-questions page: what they hold, what was changed in them, and what follows of a corrected answer.
import { carried, difference, followed, plain } from "./rules.js";
import { sentence } from "../../js/texts.js";

const ELEMENTS = { same: "span", out: "del", in: "ins" };

class Row {
  constructor(element) {
    this.element = element;
    this.number = Number(element.dataset.hop);
    this.question = element.querySelector("[data-part=question]");
    this.answer = element.querySelector("[data-part=answer]");
    this.known = this.answer.value; // the answer that later questions already follow
    this.before = null; // the question as it was before it followed, while that can be had back
  }

  judged(name) {
    return this.element.querySelector(`input[name="hop-${this.number}-${name}"]:checked`)?.value ?? "";
  }

  judge(name, value) {
    const input = this.element.querySelector(`input[name="hop-${this.number}-${name}"][value="${value}"]`);
    if (input) input.checked = true;
  }
}

export class Hops {
  constructor(root) {
    this.rows = [...root.querySelectorAll(".sub-hop")].map((element) => new Row(element));
  }

  at(node) {
    return this.rows.find(({ element }) => element.contains(node));
  }

  /** How a question reads with nothing corrected but the answers before it. */
  following(row, now = (one) => one.answer.value) {
    const earlier = this.rows.slice(0, row.number - 1);
    return followed(row.question.dataset.own, earlier.map(({ answer }) => answer.dataset.own), earlier.map(now));
  }

  corrected(row, part) {
    const own = plain(row[part].dataset.own);
    const text = plain(row[part].value);
    if (part === "answer") return text !== own;
    return text !== own && text !== plain(this.following(row));
  }

  /** A corrected answer goes into the later questions where the old one stood. */
  flow(row) {
    const [old, now] = [row.known, row.answer.value];
    if (plain(old) === plain(now) || !now.trim()) return;
    for (const later of this.rows.slice(row.number)) {
      const text = later.question.value;
      const was = this.following(later, (one) => one.known);
      const own = later.question.dataset.own;
      const undone = plain(text) === plain(own) && plain(was) !== plain(own);
      if (undone) continue;
      const next = plain(text) === plain(was) ? this.following(later) : carried(text, old, now);
      if (next === text) continue;
      later.before ??= text;
      if (plain(next) === plain(own)) later.before = null;
      later.question.value = next;
      later.from = { old: plain(row.answer.dataset.own), new: plain(now) };
      later.question.classList.remove("flowed");
      requestAnimationFrame(() => later.question.classList.add("flowed"));
    }
    row.known = now;
  }

  unflow(row) {
    if (row.before === null) return;
    row.question.value = row.before;
    row.before = null;
  }

  /** Forget what can be had back: other texts have come. */
  settle() {
    for (const row of this.rows) Object.assign(row, { known: row.answer.value, before: null });
  }

  show() {
    for (const row of this.rows) {
      this.showChange(row, row.question);
      this.showChange(row, row.answer);
      const flow = row.element.querySelector("[data-flow]");
      flow.hidden = row.before === null;
      if (row.before !== null) flow.firstElementChild.textContent = sentence("flowed", row.from);
      row.element.querySelector(".change").classList.toggle("followed", row.before !== null);
      this.showReading(row);
    }
  }

  showChange(row, field) {
    const line = field.parentElement.querySelector("[data-change]");
    line.hidden = plain(field.value) === plain(field.dataset.own);
    line.replaceChildren(...difference(field.dataset.own, field.value).map(({ kind, text }) => {
      const part = document.createElement(ELEMENTS[kind]);
      part.textContent = text;
      return part;
    }));
  }

  /** Where a question says #k the line below it says the answer of hop k as it is now. */
  showReading(row) {
    const reads = row.element.querySelector("[data-reads]");
    if (!reads) return;
    const template = /(?<![\p{L}\p{N}_])#([0-9]{1,3})(?![0-9])/gu;
    const text = row.question.value;
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(template)) {
      const hop = Number(match[1]);
      if (hop < 1 || hop >= row.number) continue;
      parts.push(text.slice(end, match.index), this.mention(hop));
      end = match.index + match[0].length;
    }
    reads.replaceChildren(...parts, text.slice(end));
  }

  mention(hop) {
    const place = document.createElement("span");
    place.className = `hop hop-${(hop - 1) % 4 + 1}`;
    const number = document.createElement("sup");
    number.textContent = hop;
    place.append(this.rows[hop - 1].answer.value, number);
    return place;
  }
}
