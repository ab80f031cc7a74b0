// A reply to the form of a new batch brings texts that were made for it: the task's instructions, or the rubric that its
// rows say. What was typed since it was asked for stays, and instructions are not changed under the cursor.
const FIELDS = { "instructions-preview": "id_instructions" };
const typed = new Set();
const waiting = new Set(); // for the cursor to leave them

document.addEventListener("input", ({ target }) => typed.add(target.id));
document.addEventListener("htmx:beforeSend", ({ target }) => {
  if (target.closest("#launch")) typed.clear();
});
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target } = event.detail;
  const own = target.matches("textarea") ? target : target.querySelector(":scope > textarea");
  const about = FIELDS[target.id] ?? own?.id;
  const isUnderCursor = document.activeElement === document.getElementById(FIELDS[target.id] ?? target.id);
  if (isUnderCursor) waiting.add(about);
  if (isUnderCursor || typed.has(about)) event.preventDefault();
});
document.addEventListener("focusout", ({ target }) => {
  if (waiting.delete(target.id) && !typed.has(target.id)) target.dispatchEvent(new Event("change", { bubbles: true }));
});

// Enter in a field of a criterion does not save the draft.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("#rubric-builder input")) event.preventDefault();
});
