// Ctrl+Enter posts the comment that is being written.
document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.("form[data-comment]");
  if (!form || event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || event.repeat) return;
  event.preventDefault();
  form.requestSubmit();
});
