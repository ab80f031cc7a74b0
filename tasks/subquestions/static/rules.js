// What follows from a corrected answer, and what a correction changed; as annotation.pure.data.corrections has it.

const SPECIAL = /[\\^$.*+?()[\]{}|/-]/g;
const TOKEN = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** A text with single spaces. */
export function plain(text) {
  return text.trim().replace(/\s+/g, " ");
}

/** A later sub-question in which every mention of the old answer, as whole words in any case, is the new one. */
export function carried(question, old, now) {
  const words = plain(old).split(" ").filter(Boolean).map((word) => word.replace(SPECIAL, "\\$&"));
  if (!words.length || !now.trim()) return question;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])${words.join("\\s+")}(?![\\p{L}\\p{N}_])`, "giu");
  return question.replace(pattern, () => now);
}

/** The question of a hop as it reads with the answers before it corrected. */
export function followed(question, old, now) {
  return old.reduce((text, before, k) => (plain(before) === plain(now[k]) ? text : carried(text, before, now[k])), question);
}

function lengths(one, other) {
  const table = Array.from({ length: one.length + 1 }, () => Array.from({ length: other.length + 1 }, () => 0));
  for (let a = one.length - 1; a >= 0; a -= 1) {
    for (let b = other.length - 1; b >= 0; b -= 1) {
      table[a][b] = one[a] === other[b] ? table[a + 1][b + 1] + 1 : Math.max(table[a + 1][b], table[a][b + 1]);
    }
  }
  return table;
}

/** What became of a text, word by word: [{kind: "same" | "out" | "in", text}]. */
export function difference(old, now) {
  const [one, other] = [old.match(TOKEN) ?? [], now.match(TOKEN) ?? []];
  const table = lengths(one, other);
  const found = [];
  const add = (kind, text) => {
    if (found.at(-1)?.kind === kind) found.at(-1).text += text;
    else found.push({ kind, text });
  };
  let [a, b] = [0, 0];
  while (a < one.length || b < other.length) {
    if (a < one.length && b < other.length && one[a] === other[b]) {
      add("same", one[a]);
      a += 1;
      b += 1;
    } else if (a < one.length && (b >= other.length || table[a + 1][b] >= table[a][b + 1])) {
      add("out", one[a]);
      a += 1;
    } else {
      add("in", other[b]);
      b += 1;
    }
  }
  return found;
}
