/**
 * The page's header: the title and figures of the recording.
 */
import { markInvisible } from "../../../serve/page/text/invisible-characters.js";
import { byId, make } from "./dom.js";
import { listOf } from "./json.js";
import { many, short, size, textOf, time } from "./format.js";

/** @typedef {import("./recording/model.ts").TapeModel} Tape */

/** @param {Tape} tape */
export function showHeader(tape) {
  const title = titleOf(tape);
  byId("title").textContent = markInvisible(title);
  document.title = `${title} · bowline inspect`;
  const facts = factsAbout(tape).map((fact) => make("span", "", fact));
  const { problems } = tape;
  byId("facts").replaceChildren(
    ...facts,
    problems > 0 ? make("span", "bad", many(problems, "problem")) : make("span", "", "no problems"),
  );
}

/** The recorded command without its paths; else "bowline", else the file name. @param {Tape} tape */
function titleOf({ meta: { command, recorded, file, before } }) {
  if (before !== undefined) return short(`${textOf(before)} → ${textOf(file)}`, 80);
  if (Array.isArray(command)) return short(listOf(command).map(lastPart).join(" "), 80);
  return short(recorded === "agent" ? "bowline" : (file ?? "a tape"), 80);
}

/** @param {unknown} path */
function lastPart(path) {
  return textOf(path).split(/[\\/]/).at(-1);
}

/** @param {Tape} tape @returns {readonly string[]} */
function factsAbout({ meta, rows, sessions, tools, chars, end }) {
  const { start } = meta;
  const facts = [time(end), many(rows.length, "row"), size(chars), many(sessions.size, "session")];
  if (tools.length > 0) facts.push(many(tools.length, "tool call"));
  if (meta["before"] !== undefined) facts.push(differences(rows));
  if (start) facts.unshift(dateOf(start));
  return facts;
}

/** @param {Tape["rows"]} rows */
function differences(rows) {
  const counts = { changed: 0, added: 0, removed: 0 };
  for (const { diff } of rows) if (diff !== undefined) counts[diff]++;
  return `${counts.changed} changed, ${counts.added} added, ${counts.removed} removed`;
}

/** @param {unknown} start */
function dateOf(start) {
  return new Date(typeof start === "number" ? start : textOf(start)).toLocaleString(undefined, {
    dateStyle: "medium",
    timeStyle: "medium",
  });
}
