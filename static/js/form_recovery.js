// Nothing typed is lost to a session that ended: a form whose sending led to signing in (or was refused, because somebody
// signed in in another tab) is filled again when its page comes back. A link with data-carry takes along what was changed
// in that form to a page with the same fields. Kept for this tab only; no passwords, no files.
import { forgetHere, keepHere, keptHere } from "./browser_storage.js";
import { framed, token } from "./post.js";

const SENT = "sent";
const TEXTS = new Set(["text", "search", "email", "number", "url", "date", "datetime-local", "textarea", "select-one"]);

const TICKS = new Set(["checkbox", "radio"]);

const place = () => location.pathname + location.search;
const reader = () => document.querySelector(".site [data-reader]")?.dataset.reader ?? "";
const action = (form) => form.getAttribute("action") ?? "";
const posting = (where) => [...document.forms].filter((each) => each.method === "post" && action(each) === where);

/** What tells a form from others that are sent to the same address: its fields, and the act that it stands for. */
function kind(form) {
  const names = [...form.elements].filter((field) => field.name && field.name !== "csrfmiddlewaretoken");
  return names.map((field) => (field.name === "act" ? `act=${field.value}` : field.name)).sort().join(" ");
}

const sentFrom = (form) => ({ action: action(form), kind: kind(form), alone: posting(action(form)).length === 1, reader: reader() });

/** The form that it was, or the only one where the page has other fields by now. */
function formOf(sent) {
  const forms = posting(sent.action);
  return forms.find((each) => kind(each) === sent.kind) ?? (sent.alone && forms.length === 1 ? forms[0] : null);
}

function changed(field) {
  if (field.type === "select-one") return !field.selectedOptions[0]?.defaultSelected;
  return TICKS.has(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

function typed(form, which = () => true) {
  const fields = [...form.elements].filter((field) => field.name && which(field));
  return {
    texts: fields.filter((field) => TEXTS.has(field.type)).map((field) => [field.name, field.value]),
    ticks: fields.filter((field) => TICKS.has(field.type)).map((field) => [field.name, field.value, field.checked]),
  };
}

function fill(form, { texts, ticks }) {
  const fields = [...form.elements];
  const filled = [];
  for (const [name, value] of texts) {
    const field = fields.find((each) => each.name === name && TEXTS.has(each.type));
    if (!field || field.value === value || (field.options && ![...field.options].some((each) => each.value === value))) continue;
    field.value = value;
    filled.push(field);
  }
  for (const [name, value, checked] of ticks) {
    const field = fields.find((each) => each.name === name && each.value === value && "checked" in each);
    if (!field || field.checked === checked) continue;
    field.checked = checked;
    filled.push(field);
  }
  return filled;
}

function say(id) {
  const template = document.getElementById(id);
  if (!template || document.querySelector(`[data-said="${id}"]`)) return;
  const notice = template.content.firstElementChild.cloneNode(true);
  notice.dataset.said = id;
  template.before(notice);
}

function bringBack(sent) {
  const form = formOf(sent);
  const filled = form ? fill(form, sent.typed) : [];
  if (!filled.length) return;
  if (sent.bounced) say("typed-again");
  form.closest("[popover]")?.showPopover();
  for (const field of filled) for (let at = field.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  // What follows from it is reckoned anew, by those who listen once the page is there.
  addEventListener("load", () => form.dispatchEvent(new Event("change", { bubbles: true })), { once: true });
}

function onSubmit(event) {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  const field = form.querySelector("[name=csrfmiddlewaretoken]");
  if (field) field.value = token(); // of today's session, also where somebody signed in after this page was made
  if (form.id === "work" || "signOut" in form.dataset || form.closest("[data-bounced]")) return;
  keepHere(SENT, { ...sentFrom(form), place: place(), typed: typed(form) });
}

function onClick(event) {
  const link = event.target.closest?.("a[data-carry]");
  const form = link && document.getElementById(link.dataset.carry);
  if (!form) return;
  keepHere(SENT, { ...sentFrom(form), place: link.pathname + link.search, typed: typed(form, changed), carried: true });
}

/** Whether this page came from the one for signing in, which may be left before its scripts run. A reload did not. */
function followsSignIn() {
  const { signIn } = document.getElementById("typed-again")?.dataset ?? {};
  const loaded = performance.getEntriesByType("navigation")[0]?.type;
  return Boolean(signIn) && loaded !== "reload" && document.referrer.startsWith(location.origin + signIn);
}

function onPage() {
  const sent = keptHere(SENT);
  if (!sent) return;
  const bounced = document.querySelector("[data-bounced]");
  if (bounced) {
    keepHere(SENT, { ...sent, bounced: true });
    const back = bounced.querySelector("[data-bounced-back]");
    if (back) back.href = sent.place;
    return;
  }
  forgetHere(SENT);
  sent.bounced ||= followsSignIn();
  const theirs = sent.reader && sent.reader === reader(); // two people may share a machine, and a name
  if ((sent.bounced || sent.carried) && sent.place === place() && theirs) bringBack(sent);
}

if (!framed) {
  document.addEventListener("submit", onSubmit);
  document.addEventListener("click", onClick);
  document.addEventListener("htmx:responseError", ({ detail }) => {
    if (detail.xhr.status === 401) say("signed-out");
  });
  onPage();
}
