/**
 * The participants of a recording as lanes from left to right: editor, agent, Claude or
 * Codex.
 */

/** @typedef {import("./model.ts").TapeSide} Side */
/** @typedef {{ readonly name: string, readonly percent: number }} Lane */

/** @param {ReadonlySet<Side>} sides @returns {readonly Lane[]} */
export function lanesOf(sides) {
  const names = ["Agent"];
  if (sides.has("acp")) names.unshift("Editor");
  if (sides.has("claude")) names.push("Claude");
  if (sides.has("codex")) names.push("Codex");
  return names.map((name, i) => ({ name, percent: 12 + (i * 76) / Math.max(1, names.length - 1) }));
}

/** The side whose messages show the whole turn; the other side repeats them. @param {ReadonlySet<Side>} sides @returns {Side} */
export function mainSide(sides) {
  if (sides.has("acp")) return "acp";
  return sides.has("codex") ? "codex" : "claude";
}

/** The two participants of a side, from left to right. @param {Side} side @returns {readonly [left: string, right: string]} */
export function participantsOf(side) {
  if (side === "acp") return ["Editor", "Agent"];
  return ["Agent", side === "codex" ? "Codex" : "Claude"];
}
