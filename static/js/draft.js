// Drafts save by themselves: in a pause, after thirty seconds of changes, and when the page is left or hidden. Whatever
// is not acknowledged yet also lies in the browser's storage, from the change on, and is sent again until it is. One
// request at a time; the form's `version` says which draft this page knows.
import { activeSeconds, forgetActivity } from "./activity.js";
import { forget, forgetHere, keep, keepHere, kept, keptHere } from "./browser_storage.js";
import { atEnd, on } from "./item.js";
import { post } from "./post.js";
import { forgetCounts } from "./page_counts.js";
import { settleInput } from "./pending_input.js";
import { heldId, holdFrom, pending } from "./prefetch.js";
import { clock, sentence } from "./texts.js";

const PAUSE = 5_000;
const LONGEST_UNSAVED = 30_000;
const LONGEST_WAIT = 30_000;
const NOT_ANSWER = new Set(["csrfmiddlewaretoken", "key", "version", "active_seconds", "page_counts"]);

/** Whether something was entered before the page's scripts ran. */
function isChangedEarly(form) {
  const fields = [...form.elements].filter(({ name, type }) => name && type !== "hidden");
  return fields.some((field) => {
    if (field.localName === "select") return [...field.options].some((one) => one.selected !== one.defaultSelected);
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  });
}

export class Draft {
  /**
   * `notice(name, text, options)` shows a notice, `status(state, text)` the line in the bar. Of the task's page:
   * `fieldsOf(draft)` are a stored draft's fields, `alike(fields, other)` whether two say the same.
   */
  constructor(form, { notice, status, fieldsOf, alike }) {
    Object.assign(this, { form, notice, status, fieldsOf, alike });
    this.name = `draft:${form.dataset.assignment}`;
    this.versionName = `version:${form.dataset.assignment}`; // of the draft that this tab saved last
    this.url = form.dataset.draftUrl;
    this.changes = 0; // counted up with each change
    this.saved = 0; // the change that the server has
    this.since = null; // the time of the first change that was not sent yet
    this.sending = false;
    this.failures = 0;
    this.over = !this.url;
    this.paused = false; // while the answer itself is being submitted
    this.inConflict = false; // until the person has chosen between two tabs' answers
    this.timer = 0;
  }

  get version() {
    return this.form.elements.version;
  }

  /** The answer's fields as they would be posted now. */
  answer() {
    const fields = new URLSearchParams(new FormData(this.form));
    for (const name of NOT_ANSWER) fields.delete(name);
    return fields;
  }

  /** All fields, with the active time. */
  fields() {
    this.form.elements.active_seconds.value = activeSeconds();
    return new URLSearchParams(new FormData(this.form));
  }

  start() {
    if (this.over || this.reloaded()) return;
    this.last = this.answer().toString();
    for (const kind of ["input", "change", "answer:change"]) {
      this.form.addEventListener(kind, () => this.changed());
    }
    on(window, "online", () => this.changes > this.saved && this.send());
    on(document, "visibilitychange", () => document.visibilityState === "hidden" && this.flush());
    on(window, "pagehide", () => this.flush());
    on(document, "submit", ({ target }) => target !== this.form && this.flush()); // it returns or reports the item
    atEnd(() => this.stop());
    this.restore();
    if (!this.changes && isChangedEarly(this.form)) this.changed({ anyhow: true });
    this.waitForTurn();
  }

  /** While the response before is on its way, this assignment is not the worker's yet. */
  waitForTurn() {
    if (!pending()) return;
    this.paused = true;
    pending().then(() => this.resume());
  }

  /** Reload a page that was on its way while a draft was saved: it has the one before. */
  reloaded() {
    const stale = keptHere(this.versionName) > Number(this.version.value);
    forgetHere(this.versionName);
    if (stale) location.reload();
    return stale;
  }

  /** What a reload, a crash or a lost connection left in the browser's storage comes back. */
  restore() {
    const left = kept(this.name);
    if (!left) return;
    const fields = new URLSearchParams(left.fields);
    if (this.alike(fields, this.answer())) return forget(this.name);
    if (left.base === Number(this.version.value)) return this.bring(fields);
    const choices = [["keep-mine", () => this.bring(fields)], ["load-theirs", () => forget(this.name)]];
    return this.notice("conflict", sentence("kept-conflict"), { tone: "warn", choices });
  }

  bring(fields) {
    this.brought = fields;
    this.form.dispatchEvent(new CustomEvent("draft:restore", { detail: { fields } }));
    this.changed();
  }

  changed({ anyhow = false } = {}) {
    if (this.over) return;
    const now = this.answer().toString();
    if (now === this.last && !anyhow) return;
    this.last = now;
    this.changes += 1;
    keep(this.name, { base: Number(this.version.value), fields: now });
    this.status("changed", sentence("saving"));
    this.planSaving();
  }

  planSaving() {
    this.since ??= performance.now();
    this.plan(Math.min(PAUSE, this.since + LONGEST_UNSAVED - performance.now()));
  }

  plan(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), wait);
  }

  /** Save at once and load the next item with it; false if there is nothing to save now. */
  async saveAndPrefetch() {
    if (!this.isDue()) return false;
    clearTimeout(this.timer);
    await this.send({ prefetch: "" });
    return true;
  }

  isDue() {
    return !(this.sending || this.over || this.paused || this.inConflict || this.changes === this.saved);
  }

  /** `prefetch`: as in `post`; by default the next item is held for longer if it is here. */
  async send({ prefetch = heldId(), keepalive = false } = {}) {
    if (!this.isDue()) return;
    this.sending = true;
    this.since = null;
    const upTo = this.changes;
    const options = { signal: AbortSignal.timeout(15_000), release: this.form.dataset.release, keepalive };
    if (!keepalive) options.prefetch = prefetch; // who leaves needs none
    try {
      const reply = await post(this.url, this.fields(), options);
      if (options.prefetch !== undefined) await holdFrom(reply, this.form); // before it says "Saved"
      await this.heard(reply, upTo);
    } catch {
      this.failed();
    } finally {
      this.sending = false;
    }
    if (this.changes > this.saved && !this.failures) this.planSaving();
  }

  async heard(reply, upTo) {
    const saved = reply.headers.get("X-Draft"); // the body is the next item
    if (reply.ok && !reply.redirected) return this.acknowledged(saved ? JSON.parse(saved) : await reply.json(), upTo);
    if (reply.status === 409) return this.conflict(await reply.json());
    if (reply.status === 410) return this.ended();
    if (reply.redirected || [401, 403].includes(reply.status)) this.signedOut();
    return this.failed();
  }

  acknowledged({ version, saved_at: at }, upTo) {
    this.failures = 0;
    this.version.value = version;
    this.saved = upTo;
    if (this.changes === upTo) forget(this.name);
    else keep(this.name, { base: version, fields: this.answer().toString() });
    keepHere(this.versionName, version);
    this.status("saved", sentence("saved", { time: clock(at) }), at);
    this.notice("signed-out", "");
  }

  conflict({ version, draft }) {
    const stored = this.fieldsOf(draft);
    if (this.alike(stored, this.answer())) { // our own save, whose reply got lost
      return this.acknowledged({ version, saved_at: new Date() }, this.changes);
    }
    if (this.brought && this.alike(stored, this.brought)) { // our own, saved while this page was on its way
      this.version.value = version;
      return undefined; // the changes since are sent next
    }
    this.inConflict = true;
    this.status("unsaved", sentence("other-tab-short"));
    const mine = () => {
      this.version.value = version;
      this.inConflict = false;
      this.send();
    };
    const theirs = () => {
      this.version.value = version;
      this.form.dispatchEvent(new CustomEvent("draft:load", { detail: { draft } }));
      this.last = this.answer().toString();
      this.saved = this.changes;
      this.inConflict = false;
      forget(this.name);
      this.status("saved", sentence("loaded"));
    };
    this.notice("conflict", sentence("other-tab"), { tone: "warn", choices: [["load-theirs", theirs], ["keep-mine", mine]] });
  }

  signedOut() {
    this.notice("signed-out", sentence("signed-out"), { tone: "warn", link: this.form.dataset.signIn });
  }

  ended() {
    this.over = true;
    this.status("unsaved", sentence("over-short"));
    this.notice("over", sentence("over"), { tone: "warn" });
  }

  failed() {
    this.failures += 1;
    this.status("unsaved", sentence("unsaved"));
    this.plan(Math.min(1000 * 2 ** (this.failures - 1), LONGEST_WAIT) * (0.75 + Math.random() / 2));
  }

  /** A submission came to nothing: what waited for it is saved now. */
  resume() {
    this.paused = false;
    if (this.changes > this.saved) this.planSaving();
  }

  /** The page goes away: one last try that may outlive it. */
  flush() {
    settleInput();
    this.send({ keepalive: true });
  }

  stop() {
    this.over = true;
    clearTimeout(this.timer);
  }

  /** Keep the answer in the browser while it is being submitted and another item is on the page. */
  keepSent() {
    this.stop();
    const sent = { base: Number(this.version.value), fields: this.answer().toString() };
    keep(this.name, sent);
    return sent;
  }

  /** Submitted and acknowledged: nothing is left to keep. */
  finish() {
    this.stop();
    forget(this.name);
    forgetHere(this.versionName);
    forgetActivity(`time:${this.form.dataset.assignment}`);
    forgetCounts(`counts:${this.form.dataset.assignment}`);
  }
}
