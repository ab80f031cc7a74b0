// On every page: the viewer's time zone, the theme, text size, copy buttons, and forgetting local drafts on sign-out.
import { forgetAll, keep, kept } from "./browser_storage.js";
import "./form_recovery.js";

const YEAR = 31536000;
const THEMES = ["auto", "light", "dark"];

const FRAMED = "framed" in document.documentElement.dataset; // by a marketplace: no cookies there, and none wanted

export function setCookie(name, value, { maxAge = YEAR } = {}) {
  if (FRAMED) return;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAge}; SameSite=Lax${secure}`;
}

function tellZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  // Zone names need no encoding, and the server reads the cookie as it is.
  if (zone && !FRAMED && !document.cookie.includes(`tz=${zone}`)) document.cookie = `tz=${zone}; Path=/; Max-Age=${YEAR}; SameSite=Lax`;
}

function theme() {
  return document.documentElement.dataset.theme || "auto";
}

function nameTheme() {
  for (const label of document.querySelectorAll("[data-theme-name]")) label.textContent = label.dataset[theme()];
}

function setTheme(name) {
  if (name === "auto") {
    delete document.documentElement.dataset.theme;
    setCookie("theme", "", { maxAge: 0 });
  } else {
    document.documentElement.dataset.theme = name;
    setCookie("theme", name);
  }
  nameTheme();
}

/** Text size and line width: html[data-text-size] and [data-line-width]; in a marketplace's frame the browser keeps them. */
function set(name, value) {
  if (value) document.documentElement.dataset[name] = value;
  else delete document.documentElement.dataset[name];
  if (FRAMED) keep(`look:${name}`, value);
  else setCookie(name, value, value ? {} : { maxAge: 0 });
}

document.addEventListener("change", ({ target }) => target.dataset.setting && set(target.dataset.setting, target.value));

if (FRAMED) {
  for (const select of document.querySelectorAll("[data-setting]")) {
    select.value = kept(`look:${select.dataset.setting}`) ?? "";
    set(select.dataset.setting, select.value);
  }
}

// In a network without HTTPS a page has no clipboard of its own, but what is selected can be copied.
function copySelected(button, text) {
  const field = Object.assign(document.createElement("textarea"), { value: text });
  button.after(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  button.focus();
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const text = source.value ?? source.innerText;
  await (navigator.clipboard?.writeText(text) ?? Promise.reject()).catch(() => copySelected(button, text));
  if (button.style.minWidth) return; // it says so
  button.style.minWidth = `${button.getBoundingClientRect().width}px`; // what stands beside it stays
  const before = [...button.childNodes];
  button.replaceChildren(button.dataset.copied || "✓");
  setTimeout(() => {
    button.replaceChildren(...before);
    button.style.minWidth = "";
  }, 1500);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button");
  if (!button) return;
  if ("themeSwitch" in button.dataset) setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
  if (button.dataset.copy) copy(button);
  if ("print" in button.dataset) print();
});

// A menu closes when something else is clicked or focused, and by Escape, which leaves focus on its button.
function closeMenus(but) {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(but)) menu.open = false;
}

for (const kind of ["click", "focusin"]) document.addEventListener(kind, (event) => closeMenus(event.target));

// A field for one sign is typed over.
document.addEventListener("focusin", ({ target }) => target.matches?.("input[data-single]") && target.select());
document.addEventListener("click", ({ target }) => target.matches?.("input[data-single]") && target.select());

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

document.addEventListener("submit", (event) => {
  if ("signOut" in event.target.dataset) forgetAll();
});

tellZone();
nameTheme();

// What needs a keyboard is folded where there is none.
const hasKeys = !matchMedia("(hover: none) and (pointer: coarse)").matches;
for (const part of document.querySelectorAll("[data-folds-on-touch]")) part.open = hasKeys;
