// What the browser keeps while the server cannot be reached or a session ended: answers and what was typed into forms,
// never paragraphs; gone after sign-out.
const PREFIX = "hopscribe:";

export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false; // storage is full or forbidden: the page then says "not saved" and nothing else
  }
}

export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    return; // nothing could have been kept either
  }
}

export function forgetAll() {
  try {
    for (const store of [localStorage, sessionStorage])
      for (const name of Object.keys(store)) if (name.startsWith(PREFIX)) store.removeItem(name);
  } catch {
    return; // nothing could have been kept either
  }
}

/** The same for this tab alone and as long as it is open. */
export function keepHere(name, value) {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    return; // forbidden: what needs it is not offered
  }
}

export function keptHere(name) {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function forgetHere(name) {
  try {
    sessionStorage.removeItem(PREFIX + name);
  } catch {
    return; // nothing could have been kept either
  }
}
