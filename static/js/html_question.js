// Runs first in the page of an HTMLQuestion, whose frame has no origin: storage of its own, and forms that reach us.
"use strict";

(() => {
  const SUBMIT = "/mturk/externalSubmit";

  /* Storage and cookies throw in a page without an origin. These last as long as the page. */

  function storage() {
    const kept = new Map();
    const store = {
      getItem: (name) => kept.get(String(name)) ?? null,
      setItem: (name, value) => void kept.set(String(name), String(value)),
      removeItem: (name) => void kept.delete(String(name)),
      clear: () => kept.clear(),
      key: (position) => [...kept.keys()][position] ?? null,
      get length() {
        return kept.size;
      },
    };
    return new Proxy(store, {
      get: (of, name) => (name in of ? of[name] : kept.get(name)),
      set: (_of, name, value) => (store.setItem(name, value), true),
      has: (of, name) => name in of || kept.has(name),
      deleteProperty: (_of, name) => (kept.delete(name), true),
      ownKeys: () => [...kept.keys()],
      getOwnPropertyDescriptor: (_of, name) =>
        kept.has(name) ? { value: kept.get(name), writable: true, enumerable: true, configurable: true } : undefined,
    });
  }

  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      void window[name];
    } catch {
      Object.defineProperty(window, name, { value: storage(), configurable: true });
    }
  }

  try {
    void document.cookie;
  } catch {
    const jar = new Map();
    Object.defineProperty(document, "cookie", {
      configurable: true,
      get: () => [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      set(text) {
        const [pair, ...rest] = String(text).split(";");
        const [name, ...value] = pair.split("=");
        const expires = rest.map((part) => part.trim()).find((part) => /^expires=/i.test(part));
        const over = rest.some((part) => /^\s*max-age=\s*(0|-\d+)/i.test(part)) || Date.parse(expires?.slice(8)) < Date.now();
        if (over) jar.delete(name.trim());
        else jar.set(name.trim(), value.join("=").trim());
      },
    });
  }

  /* A form stays in its frame; one for MTurk, or for no other place, goes to externalSubmit with the assignment's id. */

  const asked = new URLSearchParams(location.search);

  function isForUs(form, button) {
    const action = button?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
    if (!action) return true;
    return new URL(action, document.baseURI).pathname.replace(/\/+/g, "/").replace(/\/$/, "") === SUBMIT;
  }

  function prepare(form, button) {
    for (const [of, name] of [[form, "target"], [button, "formtarget"]]) of?.setAttribute(name, "_self");
    if (!isForUs(form, button)) return;
    const submitTo = asked.get("turkSubmitTo") ?? "";
    const action = button?.getAttribute("formaction") || form.getAttribute("action") || submitTo + SUBMIT;
    if (button?.hasAttribute("formaction")) button.setAttribute("formaction", action);
    else form.setAttribute("action", action);
    const inQuery = new URL(action, document.baseURI).searchParams.get("assignmentId");
    const field = form.querySelector('[name="assignmentId"]') ?? form.appendChild(hidden());
    if (!field.value) field.value = (form.method === "post" && inQuery) || (asked.get("assignmentId") ?? "");
  }

  function hidden() {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = "assignmentId";
    return field;
  }

  window.addEventListener("submit", (event) => {
    if (!event.defaultPrevented && event.target.method !== "dialog") prepare(event.target, event.submitter);
  });

  const submit = HTMLFormElement.prototype.submit; // called by scripts, it tells no listener
  HTMLFormElement.prototype.submit = function () {
    prepare(this);
    submit.call(this);
  };
})();
