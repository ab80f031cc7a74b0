// A form with a file: says at once when it is too large, and shows how far the sending has come. One with
// data-upload="names" proposes the file's name as the dataset's.
// Without this script the form posts itself, and the server says the same.

const form = document.querySelector("[data-upload]");
const input = (form) => form.querySelector("input[type=file]");

function slug(name) {
  const stem = name.replace(/\.gz$/i, "").replace(/\.(jsonl?|parquet|csv)$/i, "");
  const plain = stem.normalize("NFKD").replace(/[^\w\s-]/g, "").trim().toLowerCase();
  return plain.replace(/[-\s]+/g, "-").replace(/^[-_]+|[-_]+$/g, "").slice(0, 100);
}

function chosen(form) {
  const file = input(form).files[0];
  const name = form.elements.name;
  const large = file && file.size > Number(form.dataset.limit);
  input(form).setCustomValidity(large ? form.dataset.tooLarge : "");
  if (large) input(form).reportValidity();
  if (file && form.dataset.upload === "names" && (!name.value || name.value === name.dataset.proposed)) {
    name.value = name.dataset.proposed = slug(file.name);
  }
}

function problem(form, text) {
  const box = form.querySelector("[data-upload-problem]");
  box.textContent = text;
  box.hidden = !text;
}

function busy(form, on) {
  form.querySelector("[data-upload-progress]").hidden = !on;
  form.querySelector("button.primary").disabled = on;
}

function told(form, event) {
  if (!event.lengthComputable) return;
  const percent = Math.floor((100 * event.loaded) / event.total);
  form.querySelector("[data-upload-progress] progress").value = percent;
  form.querySelector("[data-percent]").textContent = `${percent} %`;
}

// The refused form comes back as a page; its fields replace ours, but the chosen file stays chosen.
function refused(form, html) {
  const next = document.importNode(new DOMParser().parseFromString(html, "text/html").querySelector("[data-upload]"), true);
  const empty = input(next);
  const kept = input(form);
  for (const name of ["aria-invalid", "aria-describedby", "autofocus"]) {
    if (empty.hasAttribute(name)) kept.setAttribute(name, empty.getAttribute(name));
    else kept.removeAttribute(name);
  }
  empty.replaceWith(kept);
  form.replaceWith(next);
  watch(next);
  (next.querySelector("[aria-invalid=true]") || next.querySelector("button.primary")).focus();
}

function send(form) {
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", (event) => told(form, event));
  request.addEventListener("load", () => {
    busy(form, false);
    if (request.status === 422) refused(form, request.responseText);
    else if (request.status < 400) location.assign(request.responseURL);
    else problem(form, form.dataset.lost);
  });
  request.addEventListener("error", () => { busy(form, false); problem(form, form.dataset.lost); });
  request.open("POST", form.action || location.href);
  request.send(new FormData(form));
  problem(form, "");
  busy(form, true);
}

// A file may be dropped around its input, which stays the way by keyboard and without this script.
function droppable(form) {
  const zone = form.querySelector("[data-drop]");
  if (!zone) return;
  zone.querySelector("[data-drop-hint]").hidden = false;
  const holds = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  zone.addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (!holds(event)) return;
    event.preventDefault();
    const one = new DataTransfer();
    one.items.add(event.dataTransfer.files[0]);
    input(form).files = one.files;
    input(form).dispatchEvent(new Event("change", { bubbles: true }));
  });
}

function watch(form) {
  droppable(form);
  input(form).addEventListener("change", () => chosen(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

if (form) watch(form);
