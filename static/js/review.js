// Reading and adjudicating answers without a mouse: criteria, decisions and feedback by single keys.
import { bind, listen } from "./keys.js";
import { editShortcuts } from "./shortcuts.js";

let sent = false;

function press(control) {
  if (!sent) control.click();
}

/** Yes, then no, then yes again. */
function toggle(row) {
  const [yes, no] = row.querySelectorAll("input");
  (yes.checked ? no : yes).click();
}

function atEnd(field) {
  field.focus();
  if (field.matches("textarea")) field.setSelectionRange(field.value.length, field.value.length);
}

function open(box) {
  box.open = true;
  const field = ["[data-fill] fieldset:not(:has(input:checked)) input", "[data-fill] :is(input, textarea)", "textarea", ":checked"]
    .map((wanted) => box.querySelector(wanted)).find(Boolean);
  box.lastElementChild.scrollIntoView({ block: "nearest" }); // the box itself may be without a place: css/review.css
  if (field) atEnd(field);
}

/** Save what is being written: in the box of the cursor, or in the one that is open. */
function save(event) {
  if (event.target.closest("[data-comment]")) return false; // console/comments.js posts it
  const box = event.target.closest("details.words") ?? document.querySelector("#decide details.words[open]");
  const button = box?.querySelector("button:not([type=button])");
  if (!button) return false;
  press(button);
  return true;
}

/** A text to begin from; the field keeps what stands in it already. */
function insert(field, text) {
  field.value = field.value ? `${field.value.trimEnd()} ${text}` : text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  atEnd(field);
}

function onSnippet(event) {
  const button = event.target.closest?.(".snippets button");
  if (button) insert(button.closest("details").querySelector("textarea"), button.querySelector("span").textContent);
}

/** Escape leaves a field; a digit in an empty one puts a text in. */
function onWriting(event) {
  const field = event.target;
  if (!(field instanceof HTMLTextAreaElement) || event.isComposing) return;
  const box = field.closest("details.words");
  if (event.key === "Escape" && box) {
    box.open = false;
    box.querySelector("summary").focus();
  } else if (/^[1-9]$/.test(event.key) && !field.value && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const text = box?.querySelectorAll(".snippets button")[event.key - 1]?.querySelector("span").textContent;
    if (!text) return;
    event.preventDefault();
    insert(field, text);
  }
}

/** Begin from another answer; where something was typed already, it stays. */
function beginFrom(base, field) {
  const all = [...document.querySelectorAll("#write input[data-base]")];
  const wanted = all.find((radio) => radio.dataset.base === base);
  const untouched = all.some((radio) => radio.dataset.wording === field.value);
  if (!wanted || !untouched) return;
  wanted.checked = true;
  field.value = wanted.dataset.wording;
}

function bindWriting() {
  const field = document.getElementById("write-text");
  if (!field) return;
  document.getElementById("write").addEventListener("change", (event) => {
    if (event.target.dataset.base) beginFrom(event.target.dataset.base, field);
  });
  document.addEventListener("focusin", (event) => {
    const pick = event.target.closest("button[data-base]");
    if (pick) beginFrom(pick.dataset.base, field);
  });
}

/** Enter in a field decides nothing: Chromium passes over the disabled default button of the form. */
function ignoreEnter(event) {
  if (event.key === "Enter" && event.target.matches("#decide input")) event.preventDefault();
}

/** A cause, and by its key again none. */
function bindCauses() {
  const none = document.querySelector("input[name=cause][value='']");
  for (const cause of document.querySelectorAll("[data-cause]")) {
    bind(`cause-${cause.value}`, () => {
      cause.closest("details").open = true;
      (cause.checked ? none : cause).click();
    });
  }
}

/** A digit means a value, not a response, while ratings are filled in. */
function isFilling() {
  return document.activeElement?.closest("[data-fill]") !== null;
}

function bindPage() {
  for (const control of document.querySelectorAll("[data-bind]")) {
    bind(control.dataset.bind, () => (control.name === "pick" && isFilling() ? false : press(control)));
  }
  for (const row of document.querySelectorAll("[data-mark]")) bind(`mark-${row.dataset.mark}`, () => toggle(row));
  for (const action of new Set([...document.querySelectorAll("[data-open-by]")].map((box) => box.dataset.openBy))) {
    bind(action, () => {
      const box = document.querySelector(`[data-open-by="${action}"]`); // the feedback's is replaced when it is sent
      return box ? open(box) : false;
    });
  }
  const undo = document.querySelector("#undo button") ?? document.getElementById("undo-this");
  if (undo) bind("review-undo", () => press(undo));
  bind("review-save", save);
}

function bindKeysBox(box) {
  bind("keys", () => box.togglePopover());
  editShortcuts(box, box.dataset.preferencesUrl);
}

listen(JSON.parse(document.getElementById("shortcuts").textContent));
bindPage();
bindWriting();
bindCauses();
bindKeysBox(document.getElementById("keys-box"));
document.addEventListener("click", onSnippet);
document.addEventListener("keydown", ignoreEnter);
document.addEventListener("keydown", onWriting);
// A decision is sent once, however often its key is pressed until the next answer is there.
document.addEventListener("submit", (event) => {
  if (event.target.hasAttribute("hx-post")) return;
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => { sent = false; });
