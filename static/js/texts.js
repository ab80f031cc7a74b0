// Sentences that scripts say come translated from <template id="texts">; {names} in them are filled in here.

/** The translated sentence of a name with its places filled. */
export function sentence(name, values = {}) {
  const source = document.getElementById("texts")?.content.querySelector(`[data-name="${name}"]`);
  const text = source ? source.textContent.trim() : name;
  return text.replace(/\{(\w+)\}/g, (place, key) => values[key] ?? place);
}

/** 12:03:11 in the viewer's zone. */
export function clock(moment) {
  const format = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
  return new Date(moment).toLocaleTimeString([], format);
}

/** Tell screen readers, without moving anything. */
export function announce(text) {
  const voice = document.getElementById("voice");
  if (voice) voice.textContent = text;
}
