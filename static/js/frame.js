// The annotator's frame around every task page: keys, dialogs, drafts, submitting, active time and the lease.
import { activeSeconds, countActivity } from "./activity.js";
import { kept } from "./browser_storage.js";
import { remindOfBreaks } from "./break_reminder.js";
import { Draft } from "./draft.js";
import { atEnd, itemOf, on, showItem } from "./item.js";
import { bind, getPreferences, listen } from "./keys.js";
import { showLegend } from "./legend.js";
import { watchLease } from "./lease.js";
import { notice } from "./notices.js";
import { countPasting } from "./page_counts.js";
import { settleBeforeSending } from "./pending_input.js";
import { prefetch, startPrefetching } from "./prefetch.js";
import { editShortcuts, KEPT } from "./shortcuts.js";
import { focusProblem, goTo, Submission } from "./submit.js";
import { announce, clock, sentence } from "./texts.js";

let troubled = false;
let draft = null;

function status(state, text, at) {
  const line = document.getElementById("saved");
  // Screen readers hear of trouble and of its end, not of every save.
  if (state !== "changed" && troubled !== (state === "unsaved")) announce(text);
  if (state !== "changed") troubled = state === "unsaved";
  line.dataset.state = state;
  line.textContent = text;
  if (at) line.title = new Date(at).toLocaleString();
}

function bindDialogs() {
  for (const dialog of document.querySelectorAll("dialog[popover][data-toggled-by]")) {
    bind(dialog.dataset.toggledBy, () => dialog.togglePopover());
    on(dialog, "toggle", (event) => {
      if (event.newState === "open") (dialog.querySelector("[autofocus]") ?? dialog.querySelector(".body")).focus();
    });
  }
}

/** On a phone rare acts are in a drawer, which goes once one is chosen. */
function bindDrawers() {
  for (const drawer of document.querySelectorAll(".drawer[popover]")) {
    drawer.addEventListener("click", ({ target }) => target.closest("a, button") && drawer.hidePopover());
  }
}

/** A previewed item takes the place of this one. */
async function showPreview(url) {
  const reply = await fetch(url).catch(() => null);
  if (!reply?.ok || reply.redirected) return location.assign(url);
  return showItem(itemOf(await reply.text(), url));
}

function bindLinks() {
  for (const control of document.querySelectorAll("[data-bind]")) bind(control.dataset.bind, () => control.click());
  on(document, "click", (event) => {
    const other = event.target.closest?.("a[data-item]");
    if (other && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      showPreview(other.href);
    }
    const link = event.target.closest?.("a[href^='#control-']");
    if (!link) return;
    event.preventDefault();
    goTo(link.getAttribute("href").slice(1));
  });
}

/** What is still missing, as links to the place: [{field, text}]. */
export function showMissing(things) {
  const line = document.getElementById("missing");
  const links = things.map(({ field, text }) => {
    const link = document.createElement("a");
    link.href = `#control-${field}`;
    link.textContent = text;
    return link;
  });
  const intro = document.createElement("span");
  intro.className = "intro";
  const practising = "practice" in document.getElementById("work").dataset; // its button says all there is to say
  if (links.length || !practising) intro.textContent = sentence(links.length ? "missing" : "complete");
  line.replaceChildren(intro, ...(links.length ? [" "] : []));
  links.forEach((link, k) => {
    const part = document.createElement("span"); // a comma does not begin a line
    part.className = "nowrap";
    part.append(link, ...(k < links.length - 1 ? [","] : []));
    line.append(...(k ? [" "] : []), part);
  });
  if (isComplete()) prefetch(document.getElementById("work"), draft);
}

function isComplete() {
  const line = document.getElementById("missing");
  return line.childElementCount > 0 && !line.querySelector("a");
}

/**
 * What sticks above the foot must know how high it is: it grows with what is missing. The next item's is mostly the same
 * height, and setting it again would make the browser lay out the whole page once more.
 */
function measureFoot() {
  const { style } = document.documentElement;
  const observer = new ResizeObserver(([{ borderBoxSize }]) => {
    const height = `${borderBoxSize[0].blockSize}px`;
    if (style.getPropertyValue("--acts") !== height) style.setProperty("--acts", height);
  });
  observer.observe(document.querySelector(".work-foot"));
  atEnd(() => observer.disconnect()); // a foot that is gone has no height
}

function showServerTimes() {
  for (const time of document.querySelectorAll("time[data-clock]")) {
    const shown = clock(time.dateTime);
    time.textContent = time.dataset.clock === "minutes" ? shown.slice(0, 5) : shown;
  }
}

/** Plain Enter never submits. Fields have the disabled default button for that; boxes in Chromium pass it over. */
function ignoreEnter(event) {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
  if (event.target.matches("input")) event.preventDefault();
}

function bindSubmit(form) {
  bind("submit", () => (document.getElementById("go-to-next") ?? form).requestSubmit());
  bind("accept-suggestion", () => { // of a page that was not touched
    if (!draft.changes && !Number(form.elements.version.value)) form.requestSubmit();
  });
  form.addEventListener("keydown", ignoreEnter);
  if (form.dataset.draftUrl) return;
  form.addEventListener("input", () => document.getElementById("problems")?.remove()); // of an answer that has changed
  if ("practice" in form.dataset) return; // it is posted as without scripts
  form.addEventListener("submit", (event) => event.preventDefault()); // a preview sends nothing
}

/** What was good and what was not in a practice answer is read first. Until the answer changes, what submits goes on. */
function bindRemarks(remarks, form) {
  if (!remarks) return;
  const [onward, again] = document.querySelectorAll(".work-acts > button[form]");
  const answer = String(draft.answer());
  const goesOn = () => {
    onward.hidden = String(draft.answer()) !== answer;
    again.hidden = !onward.hidden;
    return again.hidden;
  };
  for (const kind of ["input", "change", "answer:change"]) form.addEventListener(kind, goesOn);
  form.addEventListener("submit", (event) => {
    if (!goesOn()) return;
    event.preventDefault();
    onward.form.requestSubmit();
  });
  remarks.addEventListener("keydown", ({ key, target }) => key === "Enter" && target === remarks && form.requestSubmit());
  remarks.focus();
  goesOn();
}

/**
 * Start the frame of #work. A task's page gives `fieldsOf(draft)`, the fields of a stored draft, and
 * `alike(fields, other)`, whether two sets of fields say the same.
 */
export function startFrame({ fieldsOf = () => new URLSearchParams(), alike = (a, b) => String(a) === String(b) } = {}) {
  const form = document.getElementById("work");
  troubled = false;
  const keys = document.getElementById("keys-box");
  const stored = document.getElementById("shortcuts")?.textContent; // of the page; items that follow have none
  const own = keys.dataset.preferencesUrl ? null : kept(KEPT);
  showLegend();
  listen(own ?? (stored ? JSON.parse(stored) : getPreferences()));
  bindDialogs();
  document.getElementById("problem-report")?.reset(); // its fields are in a dialog that stays from item to item
  bindLinks();
  bindDrawers();
  measureFoot();
  bindSubmit(form);
  showServerTimes();
  editShortcuts(keys, keys.dataset.preferencesUrl);
  const name = `time:${form.dataset.assignment}`;
  countActivity(Number(form.elements.active_seconds.value), name);
  countPasting(form);
  remindOfBreaks();
  startPrefetching(form);
  settleBeforeSending(form);
  draft = new Draft(form, { notice, status, fieldsOf, alike });
  if (form.dataset.draftUrl) {
    draft.start();
    new Submission(form, { draft, notice }).start();
    watchLease(form, notice);
  }
  if (isComplete()) prefetch(form, draft);
  focusProblem();
  bindRemarks(document.getElementById("remarks"), form);
  return { draft, activeSeconds };
}
