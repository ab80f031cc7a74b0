// Ctrl+Enter posts the comment that is being written.
document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.("form[data-comment]");
  if (!form || event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || event.repeat) return;
  event.preventDefault();
  form.requestSubmit();
});

// The list and its field are replaced when a comment is posted or erased: the cursor goes back to the field.
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.elt.id === "comments") detail.elt.querySelector("textarea")?.focus();
});
