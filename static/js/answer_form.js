// The answer as the form's controls hold it. A state is {answerable, kind, text, paragraph, start, end, option, support,
// facts, confidence}; offsets are code points in the paragraph's text, positions those shown (0 is the first). `answerable` is "yes",
// "no" or "" on a page that asks first whether there is an answer, and "" on every other.

const BLANK = { kind: "text", text: "", paragraph: null, start: null, end: null, option: null, support: [], facts: [] };
const TYPED = new Set(["text", "confidence"]);
const EMPTY = { answerable: "", confidence: "", as_of: "", ...BLANK };

function numberOr(value) {
  return value === "" || value === null || value === undefined ? null : Number(value);
}

/** The state of posted fields. */
export function stateOf(fields) {
  const option = numberOr(fields.get("option"));
  return {
    answerable: fields.get("answerable") ?? "",
    kind: fields.get("kind") || "text",
    text: fields.get("text") ?? "",
    paragraph: numberOr(fields.get("paragraph")),
    start: numberOr(fields.get("start")),
    end: numberOr(fields.get("end")),
    option,
    support: fields.getAll("support").map(Number),
    facts: fields.getAll("fact"),
    confidence: fields.get("confidence") ?? "",
    as_of: fields.get("as_of") ?? "",
  };
}

/** The state of a stored draft. */
export function stateOfDraft(draft) {
  const own = { confidence: String(draft?.confidence ?? ""), as_of: draft?.as_of ?? "" };
  return { ...EMPTY, ...draft, kind: draft?.kind || "text", text: draft?.text ?? "", ...own };
}

/** The fields that a state would be posted as. */
export function fieldsOf(state) {
  const fields = new URLSearchParams();
  if (state.answerable) fields.append("answerable", state.answerable);
  for (const name of ["kind", "text", "paragraph", "start", "end", "option"]) {
    if (state[name] !== null && state[name] !== undefined) fields.append(name, state[name]);
  }
  for (const value of state.support) fields.append("support", value);
  for (const value of state.facts) fields.append("fact", value);
  for (const name of ["confidence", "as_of"]) if (state[name] !== "") fields.append(name, state[name]);
  return fields;
}

const PARTS = { answerable: "answerable", kind: "kind", option: "option", support: "support", fact: "facts", confidence: "confidence", as_of: "as_of" };

/** The parts of the state that were changed on the page before its scripts ran, or null. */
export function changedEarly(form) {
  const state = stateOf(new URLSearchParams(new FormData(form)));
  const parts = {};
  for (const field of form.querySelectorAll("input:not([type=hidden]), textarea[name=text]")) {
    const changed = field.value !== field.defaultValue || (field.type !== "textarea" && field.checked !== field.defaultChecked);
    if (changed && field.name === "text") Object.assign(parts, { ...BLANK, support: state.support, facts: state.facts, text: field.value });
    else if (changed && field.name in PARTS) parts[PARTS[field.name]] = state[PARTS[field.name]];
  }
  if ("option" in parts) parts.kind = "option";
  return Object.keys(parts).length ? parts : null;
}

function essence(fields) {
  const state = stateOf(fields);
  if (state.answerable === "no") return "no"; // what was given before does not count
  const words = ["text", "span", "several"].includes(state.kind);
  const said = words ? state.text.trim().replace(/\s+/g, " ").toLowerCase() : `${state.kind} ${state.option}`;
  return JSON.stringify([state.answerable, words, said, state.support.sort((a, b) => a - b), state.facts.sort(), state.confidence, state.as_of]);
}

/** Whether two sets of fields say the same; the server may have located typed text in the meantime. */
export function alike(fields, other) {
  return essence(fields) === essence(other);
}

/** Whether the page asks for the date for which an answer holds, and it is not given. */
export function lacksDate(form, state) {
  return Boolean(form.elements.as_of) && state.kind !== "none" && state.as_of === "";
}

/** Whether the page asks how sure one is, and it is not said. */
export function lacksConfidence(form, state) {
  if (!form.elements.confidence) return false;
  return !form.elements.confidence.validity.valid || state.confidence === "";
}

/** The answer is given, whatever it is. */
export function isGiven(state) {
  if (state.kind === "option") return state.option !== null;
  return ["text", "span", "several"].includes(state.kind) ? Boolean(state.text.trim()) : true;
}

export class AnswerForm {
  constructor(form) {
    this.form = form;
    this.words = form.querySelector("[data-kind-words]"); // the control whose value is "text" or "span"
    this.typedKind = form.querySelector("textarea[name=text]") ? "several" : "text";
    this.history = [];
    this.undone = [];
    this.known = this.read();
    this.typing = false;
    form.addEventListener("input", (event) => this.noteInput(event));
    form.addEventListener("change", (event) => this.noteChange(event));
  }

  /** A burst of typing is one step of the history. Typing lets go of a selected span. */
  noteInput({ target }) {
    if (!TYPED.has(target.name) || this.typing) return;
    this.typing = true;
    this.remember(this.known);
  }

  noteChange({ target }) {
    if (TYPED.has(target.name)) this.typing = false;
    else this.remember(this.known);
    this.tell();
  }

  read() {
    return stateOf(new URLSearchParams(new FormData(this.form)));
  }

  /** Put a state into the controls, without a place in the history. */
  write(state) {
    const { elements } = this.form;
    if (this.words) this.words.value = state.kind === "span" ? "span" : "text";
    const kind = this.typedKind === "several" && state.kind !== "none" ? "several" : state.kind;
    for (const radio of this.form.querySelectorAll("input[type=radio]:is([name=answerable], [name=kind])")) {
      radio.checked = radio.value === (radio.name === "kind" ? kind : state.answerable);
    }
    for (const name of ["text", "paragraph", "start", "end"]) {
      if (elements[name]) elements[name].value = state[name] ?? "";
    }
    for (const name of ["confidence", "as_of"]) if (elements[name]) elements[name].value = state[name];
    this.tick("option", state.option === null ? [] : [state.option]);
    this.tick("support", state.support);
    this.tick("fact", state.facts);
    this.tell();
  }

  tick(name, values) {
    const ticked = new Set(values.map(String));
    for (const box of this.form.querySelectorAll(`input[name=${name}]`)) box.checked = ticked.has(box.value);
  }

  tell() {
    this.known = this.read();
    this.form.dispatchEvent(new CustomEvent("answer:change"));
  }

  /** Change some parts of the state; what it was can be had back. */
  set(parts) {
    this.remember();
    this.write({ ...this.read(), ...parts });
  }

  remember(state = this.read()) {
    this.history.push(state);
    this.undone = [];
  }

  undo() {
    if (!this.history.length) return false;
    this.undone.push(this.read());
    this.write(this.history.pop());
    return true;
  }

  redo() {
    if (!this.undone.length) return false;
    this.history.push(this.read());
    this.write(this.undone.pop());
    return true;
  }

  /** Set the answer to a span of a paragraph. A field of one line shows its line breaks as spaces. */
  setSpan({ paragraph, start, end, text }) {
    this.set({ kind: "span", paragraph, start, end, text: text.replace(/[\r\n]+/g, " "), option: null });
  }

  clear() {
    this.set({ ...EMPTY, kind: this.words || this.typedKind === "several" ? this.typedKind : "option", support: this.read().support, facts: this.read().facts });
  }
}
