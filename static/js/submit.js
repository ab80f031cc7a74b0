// One submission however often one clicks, and none that gets lost: it is sent with the same key until acknowledged.
import { keep } from "./browser_storage.js";
import { itemOnShow, on, showItem } from "./item.js";
import { settleInput } from "./pending_input.js";
import { post } from "./post.js";
import { hold, itemFrom, nowSending, pending, takeHeld } from "./prefetch.js";
import { reveal } from "./scrolling.js";
import { announce, sentence } from "./texts.js";

const LONGEST_WAIT = 30_000;
const DOUBLE_CLICK = 250; // milliseconds; its second half must not submit the untouched item that came between
const LARGEST_KEPT_ALIVE = 60_000; // bytes, that browsers send on after the page is gone

let current = null;
let swapped = -Infinity;

export class Submission {
  constructor(form, { draft, notice }) {
    Object.assign(this, { form, draft, notice, sending: false, failures: 0, timer: 0 });
    this.button = document.querySelector(`button[type="submit"][form="${form.id}"]`);
  }

  start() {
    current = this;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const touched = this.draft.changes && !this.draft.brought;
      if (touched || event.timeStamp - swapped > DOUBLE_CLICK) this.send();
    });
    this.refusedAnswer = this.draft.answer().toString();
    for (const kind of ["input", "change", "answer:change"]) this.form.addEventListener(kind, () => this.outdated());
    on(window, "online", () => this.failures && this.send());
    // A page from the back-forward cache shows work that was sent already.
    on(window, "pageshow", (event) => event.persisted && location.reload());
  }

  async send() {
    if (this.sending || !this.button || this.button.disabled) return;
    clearTimeout(this.timer);
    if (pending()) {
      this.busy(true);
      await pending();
      if (current !== this) return; // the item before came back
    }
    settleInput(); // what was entered while it waited, or before it tries again
    const next = this.failures || document.querySelector("#missing a") ? null : takeHeld();
    if (next) this.sendBehind(next);
    else await this.sendAndWait();
  }

  async sendAndWait() {
    this.busy(true);
    try {
      const { release } = this.form.dataset;
      await this.heard(await post(this.form.action, this.draft.fields(), { signal: AbortSignal.timeout(30_000), release }));
    } catch {
      this.failed();
    }
  }

  /** Show the next item and send the response meanwhile. */
  sendBehind(next) {
    const fields = this.draft.fields();
    const seconds = fields.get("active_seconds");
    const sent = { item: itemOnShow(), name: this.draft.name, draft: this.draft.keepSent(), seconds };
    const reply = post(this.form.action, fields, {
      signal: AbortSignal.timeout(30_000),
      release: this.form.dataset.release,
      keepalive: fields.toString().length < LARGEST_KEPT_ALIVE,
      next: next.id,
      prefetch: "",
    });
    this.form.dispatchEvent(new CustomEvent("work:sent"));
    swapped = performance.now();
    nowSending(this.arrived(reply, next, sent));
    showItem(next);
  }

  /** A reply to a response whose item is gone: what the server gave must be on the page, or the item comes back. */
  async arrived(coming, next, sent) {
    const reply = await coming.catch(() => null);
    if (!reply) return bringBack(sent).failed();
    if (!reply.ok || reply.redirected) return bringBack(sent).heard(reply);
    this.draft.finish();
    if (reply.headers.get("X-Shown") === next.id) return hold(await itemFrom(reply));
    return showNext(reply);
  }

  busy(yes) {
    this.sending = yes;
    if (yes) this.draft.paused = true;
    else this.draft.resume();
    this.button.setAttribute("aria-disabled", String(yes));
    this.button.toggleAttribute("data-busy", yes);
    if (yes) announce(sentence("sending"));
  }

  async heard(reply) {
    const signIn = this.form.dataset.signIn;
    if (reply.redirected && signIn && new URL(reply.url).pathname === signIn) return this.signedOut();
    if (reply.ok) return this.done(reply);
    if (reply.status === 422) return this.refused(await reply.text());
    if (reply.status === 401 || reply.status === 403) return this.signedOut();
    if (reply.status >= 500) return this.failed();
    return this.replaceMain(await reply.text());
  }

  async done(reply) {
    this.draft.finish();
    this.form.dispatchEvent(new CustomEvent("work:sent"));
    await showNext(reply);
  }

  /** Something is missing: the list of problems of the server's page comes into this one. */
  refused(html) {
    this.busy(false);
    this.failures = 0;
    this.notice("unsent", "");
    const page = new DOMParser().parseFromString(html, "text/html");
    const box = document.getElementById("problems-box");
    box.replaceChildren(...page.getElementById("problems-box").childNodes);
    this.refusedAnswer = this.draft.answer().toString();
    focusProblem();
  }

  /** What the server found missing concerns an answer that has changed since; the bar says what still is. */
  outdated() {
    if (this.draft.answer().toString() !== this.refusedAnswer) document.getElementById("problems")?.remove();
  }

  /** The answer of another tab stands, or there is no such assignment: the server's page says what can be done. */
  replaceMain(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const main = document.importNode(page.querySelector("main"), true);
    this.draft.over = true;
    document.querySelector("main").replaceWith(main);
    document.querySelector(".work-foot")?.remove();
    main.focus();
  }

  signedOut() {
    this.busy(false);
    this.draft.signedOut();
  }

  failed() {
    this.busy(false);
    this.failures += 1;
    this.timer = setTimeout(() => this.send(), Math.min(1000 * 2 ** this.failures, LONGEST_WAIT));
    this.notice("unsent", sentence("unsent"), { tone: "warn", choices: [["send-now", () => this.send()]] });
  }
}

/** Show what a reply to a stored response leads to. */
async function showNext(reply) {
  const isJson = reply.headers.get("Content-Type")?.startsWith("application/json");
  if (isJson) return location.assign((await reply.json()).next);
  const item = await itemFrom(reply);
  if (!item) return location.assign(reply.url);
  swapped = performance.now();
  try {
    return showItem(item);
  } catch (error) { // the response is stored: whatever is wrong with the next item, this one is not sent again
    reportError(error);
    return location.assign(item.url);
  }
}

/** Show an item again with its answer, which could not be stored; the one on the page waits. Returns its Submission. */
function bringBack({ item, name, draft, seconds }) {
  const next = itemOnShow();
  const { elements } = item.page.getElementById("work");
  elements.version.setAttribute("value", draft.base);
  elements.active_seconds.setAttribute("value", seconds);
  keep(name, draft);
  showItem(item, { again: true });
  hold(next);
  return current;
}

/** Focus the control of the first problem, where there is one. */
export function focusProblem() {
  const link = document.querySelector("#problems a[href^='#']");
  if (link) goTo(link.getAttribute("href").slice(1));
}

/** Focus the control inside an element that says data-focus, or its first one, or the element itself. */
export function goTo(id) {
  const place = document.getElementById(id);
  if (!place) return;
  const controls = "input:not([type=hidden]), button, select, textarea";
  const inside = place.querySelector("[data-focus]") ?? place.querySelector(controls);
  (inside ?? place).focus();
  reveal(inside ?? place);
}
