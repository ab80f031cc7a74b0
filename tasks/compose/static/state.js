// A composition as the form's fields and as a stored draft. A state is {bridges ["same", "different", "unsure" or ""],
// why, question, overrides {finding: reason}, pasted (characters)}.

const ENDS = new Set(["different", "unsure"]);
const OVERRIDE = "override-";

/** The state of posted fields. */
export function stateOf(fields, total) {
  const reasons = [...fields].filter(([name]) => name.startsWith(OVERRIDE));
  return {
    bridges: Array.from({ length: total }, (_, k) => fields.get(`bridge-${k + 1}`) ?? ""),
    why: fields.get("why") ?? "",
    question: fields.get("question") ?? "",
    overrides: Object.fromEntries(reasons.map(([name, reason]) => [name.slice(OVERRIDE.length), reason])),
    pasted: Number(fields.get("pasted")) || 0,
  };
}

/** The state of a stored draft, which keeps what was pasted as a share of the question. */
export function stateOfDraft(draft, total) {
  const question = draft?.question ?? "";
  return {
    bridges: Array.from({ length: total }, (_, k) => draft?.bridges?.[k] ?? ""),
    why: draft?.why ?? "",
    question,
    overrides: draft?.overrides ?? {},
    pasted: Math.round((draft?.pasted ?? 0) * [...question].length),
  };
}

/** The fields that a state would be posted as. */
export function fieldsOf(state) {
  const fields = new URLSearchParams();
  state.bridges.forEach((judgment, k) => judgment && fields.append(`bridge-${k + 1}`, judgment));
  for (const name of ["why", "question", "pasted"]) fields.append(name, state[name]);
  for (const [found, reason] of Object.entries(state.overrides)) fields.append(OVERRIDE + found, reason);
  return fields;
}

function essence(fields) {
  const state = stateOf(fields, 20);
  const bare = (text) => text.trim().replace(/\s+/g, " ");
  const reasons = Object.entries(state.overrides).map(([found, reason]) => [found, bare(reason)]);
  return JSON.stringify([state.bridges, bare(state.why), bare(state.question), reasons.filter(([, r]) => r).sort()]);
}

/** Whether two sets of fields say the same, white space and empty reasons aside. */
export function alike(fields, other) {
  return essence(fields) === essence(other);
}

/** Where work stands: {name: "judging" | "aside" | "writing", bridge: number or 0}. */
export function stageOf(bridges) {
  const at = bridges.findIndex((judgment) => judgment !== "same");
  if (at < 0) return { name: "writing", bridge: 0 };
  return { name: ENDS.has(bridges[at]) ? "aside" : "judging", bridge: at + 1 };
}
