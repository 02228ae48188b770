/**
 * Orphan guard: ends every CLI, and removes every private file, when this program is
 * gone without having had the time to.
 *
 * One shell for the whole program holds the read end of a pipe whose only write end
 * is ours, and is told there what to guard. When the system closes the pipe, whatever
 * killed us, the shell removes the files, asks the CLIs to leave, and then kills them
 * with their descendants. It scans the processes once for all CLIs. It runs only
 * while there is something to guard.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { runId } from "./process-tree.ts";
import { runIdVariable, sendSignal } from "./process-table.ts";

export interface Guarded {
  /** It needs no guard any more. May be called again. */
  readonly release: () => void;
}

/**
 * Guards a CLI. `runId` is in the environment of all that the CLI starts, wherever it
 * runs. Null where there is no shell to do it.
 */
export function orphanGuard(pid: number, runId: string): Guarded | null {
  return guard(`cli ${pid} ${runId}`);
}

/** Guards a file that has a directory of its own: both are removed. */
export function guardFile(path: string): Guarded | null {
  return guard(`file ${escaped(path)}`);
}

/** A shell that is killed is started again, but not for ever. */
const maxRestarts = 8;

const entries = new Map<number, string>();
let lastId = 0;
let restarts = 0;
let shell: ChildProcess | undefined;

function guard(what: string): Guarded | null {
  if (process.platform === "win32") return null;
  const id = ++lastId;
  // The shell skips a line without its last word: the write of it was cut.
  const line = `add ${id} ${what} .\n`;
  entries.set(id, line);
  if (shell === undefined) startShell();
  else shell.stdin?.write(line);
  return { release: () => release(id) };
}

function release(id: number): void {
  if (!entries.delete(id)) return;
  if (entries.size === 0) stopShell();
  else shell?.stdin?.write(`remove ${id} .\n`);
}

function startShell(): void {
  let started: ChildProcess;
  try {
    started = spawn("/bin/sh", ["-c", script, "bowline-orphan-guard", `${runIdVariable}=${runId}`], {
      stdio: ["pipe", "ignore", "ignore"],
      // Its own session, so that a signal to our group or to a CLI's leaves it alone.
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    });
  } catch {
    return;
  }
  shell = started;
  started.on("error", () => {});
  started.stdin?.on("error", () => {});
  started.on("exit", () => {
    // What the shell itself had started ends with its input.
    started.stdin?.destroy();
    if (shell !== started) return;
    shell = undefined;
    if (entries.size > 0 && ++restarts <= maxRestarts) startShell();
  });
  started.unref();
  started.stdin?.write([...entries.values()].join(""));
}

function stopShell(): void {
  const { pid } = shell ?? {};
  shell = undefined;
  // Killed rather than told, with what it has started: closing the pipe is what makes it act.
  if (pid !== undefined) sendSignal(-pid, "SIGKILL");
}

/** The path as one word for `printf %b`. */
function escaped(path: string): string {
  const bytes = [...Buffer.from(path)];
  return bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\0${byte.toString(8)}`)).join("");
}

function isPlain(byte: number): boolean {
  return /[\w./-]/.test(String.fromCharCode(byte));
}

/**
 * The descendants are listed before anything is asked, because those of a dead
 * process belong to nobody. A CLI itself ends its commands when asked. What it leaves
 * all the same, and what one left that is gone already, is told by its mark, as in
 * `killByRunId`. A zombie is gone: it can be signalled, and has no descendants any more.
 * When `awk` itself is killed, nothing was closed and nothing may be ended.
 */
const script = `
kept=$(awk '$NF != "." { next } $1 == "add" { kept[$2] = $0 } $1 == "remove" { delete kept[$2] }
  END { for (id in kept) print kept[id] }') || exit 1
words() { printf '%s\\n' "$kept" | awk -v kind="$1" -v n="$2" '$3 == kind { printf "%s ", $n }'; }
rows() {
  if [ -r /proc/self/stat ]; then
    cat /proc/[0-9]*/stat 2>/dev/null | awk '{ pid = $1; sub(/^.*\\) /, ""); print pid, $2, $4, $1 }'
  else ps -A -o pid=,ppid=,state= | awk '{ print $1, $2, 0, $3 }'; fi
}
living() { rows | awk -v list="$1" 'BEGIN { split(list, a); for (i in a) is[a[i]] } ($1 in is) && $4 !~ /^Z/ { printf "%s ", $1 }'; }
below() {
  rows | awk -v list="$1" 'BEGIN { split(list, a); for (i in a) is[a[i]] }
    { parent[$1] = $2 }
    END { for (pid in parent) { p = pid; while ((p in parent) && !(p in is) && p > 1) p = parent[p]
          if ((p in is) && !(pid in is)) print pid } }'
}
left() {
  { printf '${runIdVariable}=%s\\n' $1 | grep -slF -f - /proc/[0-9]*/environ | awk -F/ '{ print "marked", $3 }'
    rows
  } | awk '$1 == "marked" { marked[$2]; next } ($1 in marked) && ($3 in marked) { print $1 }'
}
sweep() { [ -n "$1" ] && [ -r /proc/self/environ ] && kill -s KILL $(left "$1") 2>/dev/null; }
set -f
for word in $(words file 4); do
  path=$(printf '%b' "$word")
  rm -f "$path"
  rmdir "\${path%/*}"
done
set +f
clis=$(words cli 4)
[ -n "$clis" ] || exit 0
alive=$(living "$clis")
under=
if [ -n "$alive" ]; then
  under=$(below "$alive")
  kill -s TERM -- $(printf ' -%s' $alive) 2>/dev/null
  for _ in 1 2; do
    sleep 1
    [ -n "$(living "$alive")" ] || break
  done
fi
kill -s KILL -- $(printf ' -%s' $clis) $under 2>/dev/null
sweep "$(words cli 5)"
`;
