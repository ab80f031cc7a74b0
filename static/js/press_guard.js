// Guards decisions that are sent at once: a page that has just come takes none, and neither does a key that is held.
// A person needs longer than this to read anything, and a double press is shorter.
import { on } from "./item.js";

const SETTLED = 250;
const LONGEST_UNPAINTED = 3_000; // a window that the browser takes for covered gets no frames, and may be in sight
const LONGEST_LATE = 3_000; // from an event until a script hears of it

/** When an event happened: a busy machine handles it later. Some browsers, after sleep, give a time of another clock. */
function timeOf({ timeStamp }) {
  const now = performance.now();
  return Math.abs(now - timeStamp) < LONGEST_LATE ? timeStamp : now;
}

export class Steady {
  constructor() {
    this.held = new Map(); // key → when it was last refused; forgotten once it is let go
    this.allowed = false;
    this.restart();
    on(document, "keydown", (event) => this.note(event), { capture: true });
    on(document, "keyup", ({ code }) => this.held.delete(code), { capture: true });
  }

  /** Something new is shown; counts from when it is painted, or must have been. */
  restart() {
    this.countFrom(performance.now() + LONGEST_UNPAINTED);
    cancelAnimationFrame(this.frame); // of what was shown before
    const painted = () => this.countFrom(Math.min(performance.now(), this.since));
    this.frame = requestAnimationFrame(() => { this.frame = requestAnimationFrame(painted); });
  }

  countFrom(startTime) {
    this.since = startTime;
    performance.clearMarks("shown");
    performance.mark("shown", { startTime });
  }

  /** Whether an event came late enough. */
  settled(event) {
    return timeOf(event) - this.since >= SETTLED;
  }

  // Not every browser says that a key repeats when it was pressed on the page before, so a key that was refused must
  // be let go or be quiet before it counts.
  note(event) {
    const { code, repeat } = event;
    const time = timeOf(event);
    const quiet = time - (this.held.get(code) ?? -Infinity) >= SETTLED;
    this.allowed = !repeat && this.settled(event) && quiet;
    if (!this.allowed) this.held.set(code, time);
  }
}
