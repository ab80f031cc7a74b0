// A reply to the form of a new batch proposes the task's instructions; what was typed since it was asked for stays.
const OFFERED = new Set(["id_instructions", "instructions-preview"]);
const typed = () => document.getElementById("id_instructions")?.value;
let sent;

document.addEventListener("htmx:beforeSend", ({ target }) => {
  if (target.id === "launch") sent = typed();
});
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (OFFERED.has(event.detail.target.id) && typed() !== sent) event.preventDefault();
});
