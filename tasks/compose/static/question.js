// The question field: words are counted, what the checks found is marked behind the text, pasting is noted or stopped.
import { toUnit } from "../../js/offsets.js";
import { on } from "../../js/item.js";
import { announce, sentence } from "../../js/texts.js";

const MOST_ASKED = 700; // characters of the question that the checks are asked about
const points = (text) => [...text].length;

function spansOf(item, text) {
  const spans = (item.dataset.spans || "").split(",").filter(Boolean).map((span) => span.split("-").map(Number));
  return spans.map(([start, end]) => ({ start: toUnit(text, start), end: toUnit(text, end), level: item.dataset.level }));
}

/** Marks of one text where they still stand in another: before and behind what was changed. */
function moved(marks, before, after) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - same;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const by = after.length - before.length;
  return marks.flatMap((mark) => {
    if (mark.end <= same) return [mark];
    return mark.start >= before.length - tail ? [{ ...mark, start: mark.start + by, end: mark.end + by }] : [];
  });
}

export class Question {
  /** `changed()` is told when the text, a reason or what the checks found has changed. */
  constructor(form, { changed }) {
    Object.assign(this, { form, changed, marks: [], own: "", dragged: false, known: "" });
    this.field = document.getElementById("question");
    this.mirror = document.querySelector(".mirror");
    this.checks = document.getElementById("checks");
    this.reasons = document.getElementById("reasons");
    this.painted = this.field.value;
    this.field.addEventListener("input", () => this.typed());
    this.field.addEventListener("scroll", () => { this.mirror.scrollTop = this.field.scrollTop; });
    this.reasons.addEventListener("input", () => { this.ask(); changed(); });
    this.watchPasting();
    this.watchChecks();
  }

  get text() {
    return this.field.value;
  }

  set(question, pasted, overrides) {
    this.field.value = question;
    this.form.elements.pasted.value = pasted;
    for (const row of this.rows()) row.querySelector("input").value = "";
    for (const [found, reason] of Object.entries(overrides)) this.rowOf(found).querySelector("input").value = reason;
    this.typed();
  }

  typed() {
    this.marks = moved(this.marks, this.painted, this.text);
    this.paint();
    const n = this.text.split(/\s+/).filter(Boolean).length;
    const words = document.getElementById("words");
    words.textContent = sentence("words", { n, most: words.dataset.most });
    words.toggleAttribute("data-over", n > Number(words.dataset.most));
    const pasted = this.form.elements.pasted;
    pasted.value = Math.min(Number(pasted.value) || 0, points(this.text));
    this.ask();
    this.changed();
  }

  /** The text once more behind the field, where it can carry marks. */
  paint() {
    this.painted = this.text;
    const parts = [];
    let at = 0;
    for (const { start, end, level } of [...this.marks].sort((a, b) => a.start - b.start)) {
      if (start < at || end <= start) continue;
      const mark = document.createElement("mark");
      mark.className = level;
      mark.textContent = this.text.slice(start, end);
      parts.push(this.text.slice(at, start), mark);
      at = end;
    }
    this.mirror.replaceChildren(...parts, `${this.text.slice(at)}\u200b`);
    this.mirror.scrollTop = this.field.scrollTop;
  }

  /* what the checks say */

  ask() {
    this.checks.dispatchEvent(new CustomEvent("ask"));
  }

  watchChecks() {
    this.checks.addEventListener("htmx:configRequest", ({ detail }) => {
      detail.parameters.q = this.text.slice(0, MOST_ASKED);
      for (const row of this.rows()) {
        const { name, value, disabled } = row.querySelector("input");
        if (!disabled && value.trim()) detail.parameters[name] = value.trim().slice(0, 40);
      }
    });
    this.checks.addEventListener("htmx:afterSwap", () => { delete this.checks.dataset.away; this.heard({ aloud: true }); });
    for (const failed of ["htmx:sendError", "htmx:responseError"]) {
      this.checks.addEventListener(failed, () => { this.checks.dataset.away = this.checks.dataset.failed; });
    }
  }

  /** Whether the checks have said what they find in the text as it stands, and there is any text. */
  get isChecked() {
    const checked = this.checks.querySelector(".findings")?.dataset.question;
    return Boolean(this.text.trim()) && checked === this.text.slice(0, MOST_ASKED);
  }

  found() {
    return [...this.checks.querySelectorAll("[data-finding]")].map((item) => ({
      item,
      id: item.dataset.finding,
      level: item.dataset.level,
      text: item.dataset.said,
    }));
  }

  heard({ aloud = false } = {}) {
    const checked = this.checks.querySelector(".findings")?.dataset.question ?? "";
    const found = this.found();
    const marks = found.flatMap(({ item }) => spansOf(item, checked));
    this.marks = moved(marks, checked, this.text);
    this.paint();
    this.showReasons(found.filter(({ level }) => level === "warning"));
    const now = found.map(({ id, text }) => `${id} ${text}`).join("\n");
    if (aloud && now !== this.known) announce(found.map(({ text }) => text).join("; ") || sentence("checks-fine"));
    this.known = now;
    this.changed();
  }

  /* reasons to go on despite a warning: rows outlive the fragment, so nothing typed is ever lost */

  rows() {
    return [...this.reasons.querySelectorAll("[data-reason]")];
  }

  rowOf(id) {
    const there = this.rows().find((row) => row.dataset.reason === id);
    if (there) return there;
    const row = document.getElementById("reason-row").content.firstElementChild.cloneNode(true);
    const input = row.querySelector("input");
    row.dataset.reason = id;
    row.id = `control-override-${id}`;
    input.id = input.name = row.querySelector("label").htmlFor = `override-${id}`;
    this.reasons.append(row);
    return row;
  }

  reasonFor(id) {
    return this.rowOf(id).querySelector("input").value.trim();
  }

  showReasons(warnings) {
    const wanted = new Set(warnings.map(({ id }) => id));
    for (const { id, text } of warnings) this.rowOf(id).querySelector("[data-about]").textContent = text;
    for (const row of this.rows()) {
      const off = !wanted.has(row.dataset.reason);
      if (off && row.contains(document.activeElement)) continue;
      row.hidden = off;
      row.querySelector("input").disabled = off;
    }
  }

  /* pasting: how much, never what; moving one's own words is not pasting */

  watchPasting() {
    const { field } = this;
    const chosen = () => field.value.slice(field.selectionStart, field.selectionEnd);
    for (const kind of ["copy", "cut"]) field.addEventListener(kind, () => { this.own = chosen(); });
    field.addEventListener("dragstart", () => { this.dragged = true; });
    on(document, "dragend", () => { this.dragged = false; });
    field.addEventListener("paste", (event) => this.brought(event, event.clipboardData?.getData("text/plain") ?? ""));
    field.addEventListener("drop", (event) => {
      if (!this.dragged) this.brought(event, event.dataTransfer?.getData("text/plain") ?? "");
    });
  }

  brought(event, text) {
    if (!text || text === this.own || this.field.readOnly) return;
    const note = document.getElementById("paste-note");
    note.dataset.told = "";
    if (this.field.dataset.paste === "no") {
      event.preventDefault();
      return announce(sentence("no-paste"));
    }
    const pasted = this.form.elements.pasted;
    pasted.value = (Number(pasted.value) || 0) + points(text);
    return announce(sentence("paste-noted"));
  }
}
