// Search over the project: ⌘K or Ctrl-K opens the dialog, arrows go through what was found, Enter opens it, Esc closes.
const box = document.getElementById("search-box");
const field = box?.querySelector("input");

const links = () => [...box.querySelectorAll("#search-found a")];

function open() {
  if (box.open) return;
  box.showModal();
  field.select();
  box.dispatchEvent(new CustomEvent("open")); // htmx asks, so that the list fits what stands in the field
}

function move(step) {
  const all = links();
  const here = all.indexOf(document.activeElement);
  const next = here + step;
  if (next < 0) field.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
}

const fits = () => box.querySelector(".found")?.dataset.q === field.value; // the list is of what stands in the field

let waits = false; // Enter came before the list did

function go() {
  waits = !fits();
  if (waits) return;
  const first = links()[0];
  if (first) first.click();
  else field.form.submit(); // the page says that nothing is called so
}

function onKey(event) {
  if (event.key === "Escape") {
    event.preventDefault(); // else a search field only empties itself
    box.close();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && event.target === field && !event.isComposing) {
    event.preventDefault();
    go();
  } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.target !== field) {
    field.focus(); // typing goes on in the field
  }
}

if (box) {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-search]");
    if (button && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open();
    } else if (event.target === box || event.target.closest?.("[data-search-close]")) {
      box.close();
    }
  });
  box.addEventListener("keydown", onKey);
  field.addEventListener("input", () => { waits = false; });
  box.addEventListener("htmx:afterSwap", () => { if (waits) go(); });
  for (const failed of ["htmx:sendError", "htmx:responseError"]) {
    box.addEventListener(failed, () => { if (waits) field.form.submit(); });
  }
  for (const hint of document.querySelectorAll("[data-search] kbd")) {
    if (/Mac|iPhone|iPad/.test(navigator.platform)) hint.textContent = "⌘K";
  }
}
