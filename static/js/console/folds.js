// Unfolds and folds the paragraphs of an item, and opens the one that a link leads to.

const button = document.querySelector("[data-unfold]");

function paragraphs() {
  return [...document.querySelectorAll("details.paragraph")];
}

button?.addEventListener("click", () => {
  const open = button.getAttribute("aria-pressed") !== "true";
  for (const paragraph of paragraphs()) paragraph.open = open || paragraph.classList.contains("support");
  button.setAttribute("aria-pressed", String(open));
  const { fold } = button.dataset;
  button.dataset.fold = button.textContent;
  button.textContent = fold;
});

function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

addEventListener("hashchange", openTarget);
openTarget();
