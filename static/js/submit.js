// One submission however often one clicks, and none that gets lost: it is sent with the same key until acknowledged.
import { on, showItem } from "./item.js";
import { post } from "./post.js";
import { reveal } from "./scrolling.js";
import { announce, sentence } from "./texts.js";

const LONGEST_WAIT = 30_000;

export class Submission {
  constructor(form, { draft, notice }) {
    Object.assign(this, { form, draft, notice, sending: false, failures: 0, timer: 0 });
    this.button = document.querySelector(`button[type="submit"][form="${form.id}"]`);
  }

  start() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
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
    this.busy(true);
    try {
      const { release } = this.form.dataset;
      await this.heard(await post(this.form.action, this.draft.fields(), { signal: AbortSignal.timeout(30_000), release }));
    } catch {
      this.failed();
    }
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
    const isJson = reply.headers.get("Content-Type")?.startsWith("application/json");
    const item = reply.headers.get("X-Item");
    const page = item && new DOMParser().parseFromString(await reply.text(), "text/html");
    const next = isJson ? (await reply.json()).next : reply.url;
    this.draft.finish();
    this.form.dispatchEvent(new CustomEvent("work:sent"));
    if (!page) return location.assign(next);
    try {
      return showItem(page, item);
    } catch (error) { // the response is stored: whatever is wrong with the next item, this one is not sent again
      reportError(error);
      return location.assign(item);
    }
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
