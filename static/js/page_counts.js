// Counts of a batch that asks for them: characters pasted into the answer that are not in the shown text, and how often
// and how long the page was left. Numbers only are kept and sent, never keys or text.
import { forget, keep, kept } from "./browser_storage.js";
import { every, on } from "./item.js";

const LONG = 5_000; // milliseconds away from the page that count
const MOST = 1_000_000; // as the server takes it (pure/batches/page_counts)

let counted = "";
let counts = null;
let copied = ""; // what was last copied, cut or dragged on this page, which is not from elsewhere

/** Submitted: the counts of `name` are not needed any more. */
export function forgetCounts(name) {
  if (name === counted) counts = null;
  forget(name);
}

function plain(text) {
  return text.replace(/\s+/g, " ").trim();
}

function isTextField(element) {
  return element.matches?.("textarea[name], input[name][type=text], input[name]:not([type])");
}

function isShown(text) {
  return copied.includes(text) || plain(document.querySelector("main").textContent).includes(text);
}

/** Count for the form, if its batch asks for it; the browser keeps the counts over a reload. */
export function countPasting(form) {
  const field = form.elements.page_counts;
  counts = null;
  if (!field) return;
  counted = `counts:${form.dataset.assignment}`;
  counts = { pasted: 0, entered: 0, away: 0, away_seconds: 0, ...kept(counted) };
  field.value = JSON.stringify(counts);
  const add = (name, number) => {
    if (!counts) return;
    counts[name] = Math.min(MOST, counts[name] + number);
    field.value = JSON.stringify(counts);
    keep(counted, counts);
  };
  countFields(form, add);
  countAbsences(add);
}

function countFields(form, add) {
  const lengths = new WeakMap();
  const remember = ({ target }) => isTextField(target) && lengths.set(target, target.value.length);
  form.addEventListener("focusin", remember);
  form.addEventListener("beforeinput", remember);
  form.addEventListener("input", ({ target, isTrusted }) => {
    if (isTrusted && isTextField(target)) add("entered", Math.max(0, target.value.length - (lengths.get(target) ?? 0)));
    remember({ target });
  });
  const paste = ({ target }, data) => {
    const text = data?.getData("text/plain") ?? "";
    if (isTextField(target) && plain(text) && !isShown(plain(text))) add("pasted", text.length);
  };
  form.addEventListener("paste", (event) => paste(event, event.clipboardData));
  form.addEventListener("drop", (event) => paste(event, event.dataTransfer));
  for (const kind of ["copy", "cut", "dragstart"]) on(document, kind, ({ target }) => { copied = plain(selectedIn(target)); });
}

function selectedIn(target) {
  if (!isTextField(target)) return String(getSelection());
  return target.value.slice(target.selectionStart, target.selectionEnd);
}

/** The page is left while another window or tab has the focus; a frame of the page itself is no other window. */
function countAbsences(add) {
  let since = null;
  const look = () => {
    if (!document.hasFocus()) {
      since ??= performance.now();
      return;
    }
    const passed = since === null ? 0 : performance.now() - since;
    since = null;
    if (passed > LONG) {
      add("away", 1);
      add("away_seconds", Math.round(passed / 1000));
    }
  };
  for (const kind of ["focus", "blur"]) on(window, kind, () => setTimeout(look));
  on(document, "visibilitychange", look);
  every(1000, look); // where a browser tells neither
}
