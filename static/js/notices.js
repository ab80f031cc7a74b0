// Notices above the bottom bar: one of a name at a time, with the choices it offers.
import { sentence } from "./texts.js";

function button(name, run) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "button small", textContent: sentence(name) });
  made.dataset.choice = name;
  made.addEventListener("click", run);
  return made;
}

function anchor(url) {
  const made = document.createElement("a");
  Object.assign(made, { href: url, target: "_blank", rel: "noopener", textContent: sentence("sign-in") });
  return made;
}

/** Show, change or (with an empty text) take away the notice of a name. `choices` are [text name, function] pairs. */
export function notice(name, text, { tone = "", choices = [], link = "" } = {}) {
  const region = document.getElementById("notices");
  const old = region.querySelector(`[data-notice="${name}"]`);
  if (!text) return old?.remove();
  const box = document.createElement("div");
  box.className = `notice ${tone}`;
  box.dataset.notice = name;
  const words = document.createElement("p");
  words.textContent = text;
  const close = () => box.remove();
  const run = (choice) => () => { close(); choice(); };
  box.append(words, ...choices.map(([label, choice]) => button(label, run(choice))));
  if (link) box.append(anchor(link));
  if (!choices.length) box.append(button("dismiss", close));
  if (old) old.replaceWith(box);
  else region.append(box);
  return box;
}
