// Switching single keys off and changing them, in the `?` dialog; kept with the account, or in the browser without one.
import { keep } from "./browser_storage.js";
import { getPreferences, isSingle, keyOf, pressed, rows, setPreferences, signOf } from "./keys.js";
import { sentence } from "./texts.js";

/** Where the browser keeps the keys of a person who has no account here. */
export const KEPT = "keys";

let url = "";

function tell(text) {
  document.getElementById("keys-said").textContent = text;
}

async function store(preferences) {
  const before = getPreferences();
  setPreferences(preferences);
  if (!url) return tell(sentence(keep(KEPT, preferences) ? "keys-saved" : "keys-here")); // in a marketplace's frame
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
  const request = { method: "POST", headers: { "Content-Type": "application/json", "X-CSRFToken": token } };
  try {
    const reply = await fetch(url, { ...request, body: JSON.stringify(preferences) });
    if (![400, 409].includes(reply.status)) return tell(sentence(reply.ok ? "keys-saved" : "keys-not-saved"));
    setPreferences(before);
    tell((await reply.json()).problem);
  } catch {
    tell(sentence("keys-not-saved"));
  }
}

function taken(key, action) {
  return rows().find((row) => row.dataset.action !== action && keyOf(row.dataset.action) === key);
}

function accept(action, key) {
  if (!isSingle(key) || /[\s\d]/.test(key)) return tell(sentence("key-unfit"));
  const other = taken(key, action);
  if (other) return tell(sentence("key-taken", { key: signOf(key), what: other.querySelector("th").textContent }));
  const preferences = getPreferences();
  return store({ ...preferences, keys: { ...preferences.keys, [action]: key } });
}

function waitForKey(button) {
  const action = button.dataset.changeKey;
  tell(sentence("key-press"));
  button.setAttribute("aria-pressed", "true");
  const stop = () => {
    button.removeEventListener("keydown", onKey);
    button.removeAttribute("aria-pressed");
  };
  const onKey = (event) => {
    if (["Shift", "Control", "Alt", "Meta", "AltGraph"].includes(event.key)) return;
    stop();
    if (event.key === "Tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") tell("");
    else accept(action, pressed(event));
  };
  button.addEventListener("keydown", onKey);
  button.addEventListener("blur", stop, { once: true });
}

/** Make the dialog's controls work; `preferencesUrl` takes the settings as JSON. */
export function editShortcuts(dialog, preferencesUrl) {
  url = preferencesUrl;
  const off = dialog.querySelector("[data-keys-off]");
  off.checked = !getPreferences().off;
  off.addEventListener("change", () => store({ ...getPreferences(), off: !off.checked }));
  dialog.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.changeKey) waitForKey(button);
    if (button && "keysReset" in button.dataset) store({ ...getPreferences(), keys: {} });
  });
}
