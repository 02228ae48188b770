/**
 * The orphan guard for Windows, a program of its own; see orphan-guard.ts.
 *
 * Reads the list of CLIs and files from its environment and then from stdin. When stdin
 * ends, the files are removed and the CLIs are ended with their descendants, which are
 * found by the id of their parent.
 */
const { execFileSync } = require("node:child_process");
const { rmdirSync, unlinkSync } = require("node:fs");
const { dirname, join } = require("node:path");

const { systemDirectory, processListings } = JSON.parse(process.argv.at(-1));
const listLimits = { timeout: 20_000, maxBuffer: 16 * 1024 * 1024, windowsHide: true };
/** A command may be starting during the first round. */
const rounds = 2;

let text = process.env.GUARDED ?? "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => (text += chunk));
process.stdin.on("error", act);
process.stdin.on("end", act);

function act() {
  const kept = new Map();
  // A line that does not end in a dot was written only in part.
  for (const line of text.split("\n").filter((one) => one.endsWith(" ."))) {
    const [verb, id, kind, ...words] = line.split(" ").slice(0, -1);
    if (verb === "add") kept.set(id, { kind, words });
    else kept.delete(id);
  }
  const entries = [...kept.values()];
  for (const { kind, words } of entries) if (kind === "file") removeFile(pathOf(words[0]));
  const clis = entries.filter(({ kind }) => kind === "cli").map(({ words }) => Number(words[0]));
  for (let round = 0; round < rounds && clis.length > 0; round++) for (const pid of tree(clis)) end(pid);
}

/** The word as orphan-guard.ts writes it: bytes other than letters and digits are octal. */
function pathOf(word) {
  const bytes = word
    .match(/\\0[0-7]{3}|[^\\]/g)
    .map((one) => (one[0] === "\\" ? parseInt(one.slice(2), 8) : one.charCodeAt(0)));
  return Buffer.from(bytes).toString("utf8");
}

function removeFile(path) {
  try {
    unlinkSync(path);
    rmdirSync(dirname(path));
  } catch {
    // The file or its directory is gone, or has other files.
  }
}

function tree(pids) {
  const found = new Set(pids);
  const rows = processes();
  for (const parent of found)
    for (const row of rows) if (row.parent === parent && row.pid !== process.pid) found.add(row.pid);
  return found;
}

function processes() {
  for (const { program, args, row } of processListings) {
    try {
      const output = execFileSync(join(systemDirectory, program), args, listLimits)
        .toString("latin1")
        .replaceAll("\0", "");
      const rows = [...output.matchAll(new RegExp(row, "gm"))];
      if (rows.length > 0)
        return rows.map(({ groups }) => ({ pid: Number(groups.pid), parent: Number(groups.parent) }));
    } catch {
      // The next listing.
    }
  }
  return [];
}

function end(pid) {
  try {
    process.kill(pid);
  } catch {
    // It has exited.
  }
}
