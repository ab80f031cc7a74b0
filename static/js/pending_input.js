// What was entered but has not reached the form: a selection that may still grow, words that are still being typed. What
// is on the screen when the form is sent is what is sent, so everything that holds back an input settles it here.
import { atEnd, on } from "./item.js";

const PLAIN = /^(.|Enter)$/u; // keys that act; others extend a selection
const CONTROLS = "a, button, input, label, select, summary, textarea";
const settlers = new Set();
let typedInto = null;

/**
 * Run `settle` before the form is sent and before the page is left, also before a control is pressed, and, unless `keys`
 * is false, before a key acts: whatever comes next comes after the input.
 */
export function beforeSending(settle, { keys = true } = {}) {
  const settler = { settle, keys };
  settlers.add(settler);
  atEnd(() => settlers.delete(settler));
}

function settleAll({ byKey = false } = {}) {
  for (const { settle, keys } of settlers) if (keys || !byKey) settle();
}

/** Bring everything that was entered into the form, as leaving a field and waiting would. */
export function settleInput() {
  settleAll();
  if (typedInto?.isConnected) typedInto.dispatchEvent(new Event("change", { bubbles: true }));
  typedInto = null;
}

/** Begin for the item on the page. */
export function settleBeforeSending(form) {
  typedInto = null;
  form.addEventListener("input", ({ target }) => { typedInto = target; });
  form.addEventListener("change", () => { typedInto = null; });
  on(window, "submit", settleInput, { capture: true }); // before the task's page says that something is missing
  // A button that keeps the selection (it prevents what a press does) is there for it.
  on(window, "pointerdown", (event) => !event.defaultPrevented && event.target.closest?.(CONTROLS) && settleAll());
  on(window, "keydown", ({ key }) => PLAIN.test(key) && settleAll({ byKey: true }), { capture: true });
}
