// What the browser keeps while the server cannot be reached or a session ended: answers and what was typed into forms,
// never paragraphs; gone after sign-out.
const PREFIX = "hopscribe:";

/** What can be done with a store. It may be full or forbidden: then nothing is kept, and what needs it is not offered. */
function storeOf(open) {
  const attempt = (act, otherwise) => {
    try {
      return act(open());
    } catch {
      return otherwise;
    }
  };
  const put = (store, name, value) => { store.setItem(PREFIX + name, JSON.stringify(value)); return true; };
  return {
    keep: (name, value) => attempt((store) => put(store, name, value), false), // false: the page says "not saved"
    kept: (name) => attempt((store) => JSON.parse(store.getItem(PREFIX + name)), null),
    forget: (name) => attempt((store) => store.removeItem(PREFIX + name)),
  };
}

export const { keep, kept, forget } = storeOf(() => localStorage);

/** The same for this tab alone and as long as it is open. */
export const { keep: keepHere, kept: keptHere, forget: forgetHere } = storeOf(() => sessionStorage);

export function forgetAll() {
  try {
    for (const store of [localStorage, sessionStorage])
      for (const name of Object.keys(store)) if (name.startsWith(PREFIX)) store.removeItem(name);
  } catch {
    return; // nothing could have been kept either
  }
}
