// What a page's fields held before each change, to be had back.
import { announce, sentence } from "./texts.js";

export class ChangeHistory {
  /** `read` gives the fields as URLSearchParams, `write` puts them back. */
  constructor(form, { read, write }) {
    Object.assign(this, { form, read, write, before: [] });
  }

  get isEmpty() {
    return !this.before.length;
  }

  /** Keep what was, if it is something else now. */
  note(was) {
    if (String(was) !== String(this.read())) this.before.push(was);
  }

  /** Have back what was before the last change; false if there is nothing. */
  undo() {
    if (this.isEmpty) return false;
    this.write(this.before.pop());
    this.tell();
    announce(sentence("undone"));
    return true;
  }

  /** The answer changed: it is to be saved. */
  tell() {
    this.form.dispatchEvent(new CustomEvent("answer:change"));
  }
}
