/** Whether two sets of fields say the same, in whatever order, with white space and empty ones aside. `counts` says of a
 * name whether it matters. */
export function sameFields(fields, other, counts = () => true) {
  const plain = (value) => value.trim().replace(/\s+/g, " ");
  const essence = (all) => [...all].filter(([name, value]) => value && counts(name)).map(([name, value]) => `${name}=${plain(value)}`);
  return JSON.stringify(essence(fields).sort()) === JSON.stringify(essence(other).sort());
}
