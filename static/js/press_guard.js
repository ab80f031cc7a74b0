// Guards decisions that are sent at once: a page that has just come takes none, and neither does a key that is held.
// A person needs longer than this to read anything, and a double press is shorter.
import { on } from "./item.js";

const SETTLED = 250;
const LONGEST_UNPAINTED = 3_000; // a busy browser sometimes shows a page and never calls back for its frame

export class Steady {
  constructor() {
    this.held = new Map(); // key → when it was last refused; forgotten once it is let go
    this.allowed = false;
    this.restart();
    on(document, "keydown", (event) => this.note(event), { capture: true });
    on(document, "keyup", ({ code }) => this.held.delete(code), { capture: true });
  }

  /** Something new is shown; counts from when it is painted. */
  restart() {
    clearTimeout(this.unpainted);
    this.since = Infinity;
    performance.clearMarks("shown");
    const painted = () => { if (this.since === Infinity) this.since = performance.mark("shown").startTime; };
    requestAnimationFrame(() => requestAnimationFrame(painted));
    this.unpainted = setTimeout(painted, LONGEST_UNPAINTED);
  }

  /** Whether an event came late enough; asked by its own time, since a busy machine handles it later. */
  settled({ timeStamp }) {
    return timeStamp - this.since >= SETTLED;
  }

  // Not every browser says that a key repeats when it was pressed on the page before, so a key that was refused must
  // be let go or be quiet before it counts.
  note(event) {
    const { code, repeat, timeStamp } = event;
    const quiet = timeStamp - (this.held.get(code) ?? -Infinity) >= SETTLED;
    this.allowed = !repeat && this.settled(event) && quiet;
    if (!this.allowed) this.held.set(code, timeStamp);
  }
}
