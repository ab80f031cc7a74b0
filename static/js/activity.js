// Active time: seconds in which the page was visible and something was done within the last minute. Nothing else is
// noted of what people do: no keys, no positions.
import { forget, keep, kept } from "./browser_storage.js";
import { every, on } from "./item.js";

const IDLE_AFTER = 60_000;
const LONGEST_TICK = 2_000; // a sleeping laptop wakes with one long tick, which was not work

let last = performance.now();
let seconds = 0;
let over = false;
let counted = "";

export function activeSeconds() {
  return Math.round(seconds * 10) / 10;
}

export function activeWithin(milliseconds) {
  return document.visibilityState === "visible" && performance.now() - last < milliseconds;
}

/** Submitted: the figure of `name` is not needed any more. */
export function forgetActivity(name) {
  over ||= name === counted;
  forget(name);
}

function note() {
  last = performance.now();
}

/** Count from `already` seconds on; `name` is where the browser keeps the figure over a reload. */
export function countActivity(already, name) {
  over = false;
  counted = name;
  seconds = Math.max(already || 0, kept(name) || 0);
  for (const kind of ["pointermove", "pointerdown", "keydown", "scroll", "input", "touchmove"]) {
    on(document, kind, note, { passive: true, capture: true });
  }
  let before = performance.now();
  every(1000, () => {
    const now = performance.now();
    if (activeWithin(IDLE_AFTER)) seconds += Math.min(now - before, LONGEST_TICK) / 1000;
    before = now;
  });
  on(window, "pagehide", () => over || keep(name, activeSeconds()));
}
