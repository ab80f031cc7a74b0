// Form posts from scripts. The token of the cookie is fresher than the page's: signing in elsewhere changes it.

function token() {
  const cookie = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie);
  return cookie?.[1] || document.querySelector("[name=csrfmiddlewaretoken]")?.value || "";
}

/** POST `fields` (URLSearchParams); rejects only when no answer came. */
export function post(url, fields, { keepalive = false, signal = undefined } = {}) {
  const body = new URLSearchParams(fields);
  body.set("csrfmiddlewaretoken", token());
  const headers = { Accept: "application/json, text/html", "X-CSRFToken": token() };
  return fetch(url, { method: "POST", body, headers, keepalive, signal, credentials: "same-origin" });
}
