/**
 * Orphan guard: stops every CLI and removes every private file if this process dies
 * without doing so itself.
 *
 * One shell per program, running only while there is something to guard, reads the list of CLIs
 * and files from its environment and then from a pipe whose only write end this process holds.
 * When this process dies, the system closes the pipe. The shell then removes the files, sends
 * SIGTERM to the CLIs, and kills them and all their descendants, also those in a session of their
 * own. On Windows the guard is a Node process that runs windows-guard.cjs; there is no SIGTERM.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { programRunId } from "./process-tree.ts";
import { nodeProgram, processListings, systemDirectory } from "../wire/index.ts";
import { runIdVariable, sendSignal } from "./process-table.ts";
import windowsGuard from "./windows-guard.cjs.text.ts";

export interface Guarded {
  /** Ends the guard. A second call has no effect. */
  readonly release: () => void;
}

/**
 * Guards a CLI. Every process that the CLI starts has `runId` in its environment. On Linux those
 * that are no longer descendants of the CLI are found by it and killed too. `leavesDaemons` spares
 * the ones whose session leader has exited, except those of a sandbox that is being set up.
 */
export function orphanGuard(pid: number, runId: string, leavesDaemons = true): Guarded {
  return guard(`cli ${pid} ${runId} ${leavesDaemons ? "leaves-daemons" : "leaves-nothing"}`);
}

/** Guards a file. Its directory is removed with it once it is empty. */
export function guardFile(path: string): Guarded {
  return guard(`file ${escaped(path)}`);
}

const isWindows = process.platform === "win32";
/** How often a shell that was killed is started again. */
const maxRestarts = 8;
/** How much of the list the shell gets in its environment; Windows allows 32,767 characters for all variables. */
const maxInitialLength = 16_000;

const entries = new Map<number, string>();
let lastId = 0;
let restarts = 0;
let shell: ChildProcess | undefined;

function guard(what: string): Guarded {
  const id = ++lastId;
  // The shell ignores a line that does not end in a dot: only part of it was written.
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
    const [command, ...args] = guardCommand();
    started = spawn(command, args, {
      stdio: ["pipe", "ignore", "ignore"],
      // A session of its own, so that a signal to this process's group or to a CLI's group does not reach it.
      // On Windows: not in the job whose processes end with this one.
      detached: true,
      cwd: isWindows ? systemDirectory(process.env) : "/",
      // Also in the environment: this process may die before it has written to the pipe.
      env: { ...(isWindows ? windowsEnvironment() : { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" }), GUARDED: initial() },
      windowsHide: true,
    });
  } catch {
    return;
  }
  shell = started;
  started.on("error", () => {});
  started.stdin?.on("error", () => {});
  started.on("exit", () => {
    // The programs that the shell had started end when their input is closed.
    started.stdin?.destroy();
    if (shell !== started) return;
    shell = undefined;
    if (entries.size > 0 && ++restarts <= maxRestarts) startShell();
  });
  started.unref();
  started.stdin?.write([...entries.values()].join(""));
}

/** The first entries, as many as fit. */
function initial(): string {
  const text = [...entries.values()].join("");
  return text.slice(0, text.lastIndexOf("\n", maxInitialLength) + 1);
}

function stopShell(): void {
  const { pid } = shell ?? {};
  shell = undefined;
  // Closing the pipe would make the shell act, so the shell and its programs are killed.
  if (pid !== undefined) sendSignal(isWindows ? pid : -pid, "SIGKILL");
}

function guardCommand(): readonly [string, ...string[]] {
  const mark = `${runIdVariable}=${programRunId}`;
  if (!isWindows) return ["/bin/sh", "-c", script, "bowline-orphan-guard", mark];
  const options = JSON.stringify({ systemDirectory: systemDirectory(process.env), processListings });
  return [nodeProgram(), "-e", windowsGuard(), "bowline-orphan-guard", mark, options];
}

/** Electron runs scripts only with its variable. */
function windowsEnvironment(): Record<string, string> {
  return { SystemRoot: process.env["SystemRoot"] ?? "C:\\Windows", ELECTRON_RUN_AS_NODE: "1" };
}

/** The path as one word for `printf %b`. Three octal digits, because a digit of the path may follow. */
function escaped(path: string): string {
  const bytes = [...Buffer.from(path)];
  return bytes
    .map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, "0")}`))
    .join("");
}

function isPlain(byte: number): boolean {
  return /[\w./-]/.test(String.fromCharCode(byte));
}

/**
 * The script lists the descendants before it signals a CLI, because the children of a
 * dead process get another parent. A CLI that gets SIGTERM stops its own commands.
 * Processes that remain anyway, also those of a CLI that had already exited, are
 * found by the run id in their environment, as in `killByRunId`. A zombie counts as
 * exited. If `awk` itself is killed, the pipe was not closed, and nothing is stopped.
 */
const script = `
kept=$(awk 'BEGIN { n = split(ENVIRON["GUARDED"], lines, "\\n")
    for (i = 1; i < n; i++) { split(lines[i], words, " "); kept[words[2]] = lines[i] } }
  $NF != "." { next } $1 == "add" { kept[$2] = $0 } $1 == "remove" { delete kept[$2] }
  END { for (id in kept) print kept[id] }') || exit 1
words() { printf '%s\\n' "$kept" | awk -v kind="$1" -v n="$2" -v only="$3" '$3 == kind && (only == "" || $6 == only) { printf "%s ", $n }'; }
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
marked() { printf '${runIdVariable}=%s\\n' $1 | grep -slF -f - /proc/[0-9]*/environ | awk -F/ '{ print $3 }'; }
left() {
  { marked "$1" | awk '{ print "marked", $1 }'
    cat /proc/[0-9]*/status 2>/dev/null | awk '$1 == "NSpid:" { pid = $2; last = $NF }
      $1 == "NSsid:" && NF > 2 && last == 1 && $NF == 0 { print "setup", pid }'
    rows
  } | awk '$1 == "marked" { marked[$2]; next } $1 == "setup" { setup[$2]; next }
    ($1 in marked) && (($3 in marked) || ($1 in setup)) { print $1 }'
}
sweep() { [ -n "$2" ] && [ -r /proc/self/environ ] && kill -s KILL $("$1" "$2") 2>/dev/null; }
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
sweep left "$(words cli 5 leaves-daemons)"
sweep marked "$(words cli 5 leaves-nothing)"
`;
