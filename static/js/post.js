// Requests from scripts, with the page's token. On the site the token of the cookie is fresher than the page's: signing
// in elsewhere changes it. In a marketplace's frame there are no cookies, and the page's own is the only one; a frame
// may be of no origin at all, so what it posts carries no header of its own: the browser would ask first.
export const framed = "framed" in document.documentElement.dataset;

export function token() {
  const named = (name) => new RegExp(`(?:^|; )${name}=([^;]+)`).exec(document.cookie);
  const cookie = framed ? null : named("__Host-csrftoken") ?? named("csrftoken");
  return cookie?.[1] || document.querySelector("[name=csrfmiddlewaretoken]")?.value || "";
}

/**
 * POST `fields` (URLSearchParams); rejects only when no answer came. `release`: the page's, to get the next item. `next`:
 * the id of the one that the page shows already. `prefetch`: that of the one it has for afterwards; "" if it wants one.
 */
export function post(url, fields, { keepalive = false, signal, release, next, prefetch } = {}) {
  const body = new URLSearchParams(fields);
  body.set("csrfmiddlewaretoken", token());
  const headers = { Accept: "application/json, text/html" };
  if (!framed) headers["X-CSRFToken"] = token();
  if (!framed && release !== undefined) headers["X-Release"] = release;
  if (next) headers["X-Next"] = next;
  if (prefetch !== undefined) headers["X-Prefetch"] = prefetch;
  return fetch(url, { method: "POST", body, headers, keepalive, signal, credentials: framed ? "omit" : "same-origin" });
}

if (framed) {
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    detail.headers["X-CSRFToken"] = token();
    delete detail.headers["HX-Current-URL"]; // it names the worker
  });
}
