// Keys of a page. The rows of the `?` dialog (data-action, data-key) are the list of actions and default keys;
// pages bind functions to actions. Single keys never fire while typing and can be switched off or changed.
import { atEnd, on } from "./item.js";

const MAC = /Mac|iP(hone|ad|od)/.test(navigator.platform);
const SIGNS = { Enter: "⏎", Escape: "Esc", Control: "⌃", " ": "␣", ArrowUp: "↑", ArrowDown: "↓" };
const bound = new Map();
let patterns = [];
let preferences = { off: false, keys: {} };

export function rows() {
  return [...document.querySelectorAll("tr[data-action][data-key]")];
}

/** The key of an action as the person set it, or the default. */
export function keyOf(action) {
  const row = document.querySelector(`tr[data-action="${action}"]`);
  return (row && !("fixed" in row.dataset) && preferences.keys?.[action]) || row?.dataset.key || "";
}

/** A key as it is shown: Mod+Enter is ⌃⏎, or ⌘⏎ on a Mac. */
export function signOf(key) {
  const [last, ...modifiers] = key.split("+").reverse();
  const signs = modifiers.reverse().map((name) => ({ Mod: MAC ? "⌘" : "⌃", Shift: "⇧" })[name] ?? name);
  return signs.join("") + (key.endsWith("++") || key === "+" ? "+" : SIGNS[last] ?? last);
}

export function isSingle(key) {
  return key.length === 1;
}

function label() {
  document.body.dataset.keys = preferences.off ? "off" : "on";
  for (const hint of document.querySelectorAll("kbd[data-key-for]")) {
    const key = keyOf(hint.dataset.keyFor);
    hint.textContent = signOf(key);
    hint.classList.toggle("single", isSingle(key));
    tell(hint, key);
  }
}

/** Of a control, the key is no part of its name ("Submit"), but its shortcut. */
function tell(hint, key) {
  const around = hint.closest("button, a, label, summary");
  const control = around?.control ?? around;
  if (!control) return;
  hint.ariaHidden = "true";
  const usable = key && !(preferences.off && isSingle(key));
  if (usable) control.setAttribute("aria-keyshortcuts", key.replace("Mod", MAC ? "Meta" : "Control"));
  else control.removeAttribute("aria-keyshortcuts");
}

export function setPreferences(next) {
  preferences = { off: Boolean(next?.off), keys: next?.keys ?? {} };
  label();
}

export function getPreferences() {
  return structuredClone(preferences);
}

/** Bind a function to an action. It gets the event; returning false lets the browser have the key. */
export function bind(action, run) {
  bound.set(action, run);
}

/** Bind a function to all single keys that match, for rows like "1 to 9". */
export function bindPattern(pattern, run) {
  patterns.push({ pattern, run });
}

export function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select")) return true;
  return target.matches("input") && !["checkbox", "radio", "button", "submit", "file"].includes(target.type);
}

/** Into a text field: one that the page brought filled in is to be written over, in another the cursor is where it was. */
export function typeInto(field) {
  if (!field) return;
  field.focus();
  if (!field.selectionEnd) field.select();
}

/** While one types, the legend tells only what acts then. */
function showTyping() {
  document.body.toggleAttribute("data-typing", isTyping(document.activeElement));
}

/** What was pressed: "j", "?", "Mod+Enter", "Mod+Shift+z"; letters of other scripts by their place on the keyboard. */
export function pressed(event) {
  const graph = event.getModifierState?.("AltGraph");
  if (event.altKey && !graph) return "";
  let key = event.key;
  const place = /^(?:Key|Digit)([A-Z0-9])$/.exec(event.code);
  if (key.length === 1 && key.charCodeAt(0) > 127 && place) key = place[1].toLowerCase();
  const mod = (event.ctrlKey || event.metaKey) && !graph;
  if (!mod) return key;
  return `Mod+${event.shiftKey && key !== "Enter" ? "Shift+" : ""}${key.length === 1 ? key.toLowerCase() : key}`;
}

function actionOf(key) {
  return rows().map((row) => row.dataset.action).find((action) => keyOf(action) === key);
}

function mayFire(event, key, action) {
  if (event.isComposing || event.defaultPrevented) return false;
  if (event.repeat && !["next", "previous"].includes(action)) return false;
  if (isTyping(event.target)) return ["Mod+Enter", "Escape"].includes(key);
  if (isSingle(key) && preferences.off) return false;
  const open = document.querySelector(":popover-open");
  return !open || open.dataset.toggledBy === action;
}

function onKey(event) {
  const key = pressed(event);
  const action = key && actionOf(key);
  const run = bound.get(action) ?? patterns.find(({ pattern }) => pattern.test(key))?.run;
  if (!run || !mayFire(event, key, action)) return;
  if (run(event) !== false) event.preventDefault();
}

/** Begin to listen; `stored` is the person's {off, keys}. */
export function listen(stored) {
  setPreferences(stored);
  on(document, "keydown", onKey);
  for (const kind of ["focusin", "focusout"]) on(document, kind, showTyping);
  showTyping();
  bind("leave", ({ target }) => {
    if (isTyping(target)) target.blur();
    return false; // a dialog around the field closes
  });
  atEnd(() => {
    bound.clear();
    patterns = [];
  });
}
