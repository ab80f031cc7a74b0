// A reply to the form of a new batch brings texts that were made for it: the task's instructions, or the rubric that its
// rows say. What was typed since it was asked for stays.
const FIELDS = { "instructions-preview": "id_instructions" };
const typed = new Set();

document.addEventListener("input", ({ target }) => typed.add(target.id));
document.addEventListener("htmx:beforeSend", ({ target }) => {
  if (target.closest("#launch")) typed.clear();
});
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target } = event.detail;
  const own = target.matches("textarea") ? target : target.querySelector(":scope > textarea");
  if (typed.has(FIELDS[target.id] ?? own?.id)) event.preventDefault();
});

// Enter in a field of a criterion does not save the draft.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("#rubric-builder input")) event.preventDefault();
});
