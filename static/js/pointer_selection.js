// Words that a mouse or a finger selects: taken when the button is let go or the finger's selection rests, and at once
// when the form is about to be sent.
import { atEnd, on } from "./item.js";
import { beforeSending } from "./pending_input.js";

const SETTLED = 400; // milliseconds in which a touch selection does not change

function isSame(span, other) {
  return ["root", "start", "end"].every((part) => span?.[part] === other?.[part]);
}

export class PointerSelection {
  /**
   * In `element`; `find()` is what is selected, as {root, start, end} or null, and `take()` takes it. `busy()` says that
   * the selection is made by keys now; `rested()` is told of a selection that left nothing to take. `keys`: whether a
   * key that acts takes what is selected first.
   */
  constructor(element, { find, take, busy = () => false, rested = () => {}, keys = true }) {
    Object.assign(this, { element, find, take, busy, rested, kind: "mouse", timer: 0, drawn: false, taken: null });
    on(document, "pointerdown", (event) => this.onPress(event), { capture: true });
    on(document, "mouseup", () => {
      if (this.kind !== "mouse") return;
      this.drawn = true;
      this.wait(0); // a click into a selection takes it away only after mouseup
    });
    on(document, "selectionchange", () => {
      if (this.kind === "mouse" || this.busy()) return;
      if (document.getSelection().isCollapsed) this.taken = null;
      this.wait(SETTLED);
    });
    beforeSending(() => this.settle(), { keys });
    atEnd(() => clearTimeout(this.timer));
  }

  /** Whether no touch selection is being made, so that marks may change the text. */
  get settled() {
    return this.kind === "mouse" || document.getSelection().isCollapsed;
  }

  onPress({ pointerType, target }) {
    const kind = pointerType || "mouse";
    if (this.busy()) this.taken = this.find(); // left as it is: a selection by keys is taken by a key
    else if (kind !== this.kind || this.drawn) this.settle();
    this.kind = kind;
    this.drawn = kind === "mouse" && this.element.contains(target);
  }

  wait(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle({ rested: true }), milliseconds);
  }

  /** Take what is selected, if it has not been taken yet. */
  settle({ rested = false } = {}) {
    clearTimeout(this.timer);
    if (this.busy()) return;
    const found = this.find();
    const isNew = this.kind === "mouse" ? this.drawn : !isSame(found, this.taken);
    Object.assign(this, { drawn: false, taken: found });
    if (isNew && found) this.take();
    else if (rested && this.kind !== "mouse") this.rested();
  }
}
