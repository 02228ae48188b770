/**
 * Lifeline: ends the CLI when we are gone without having had the time to.
 *
 * A small shell holds the read end of a pipe whose only write end is ours. When
 * the system closes it, whatever killed us, the shell asks the CLI to leave and
 * then kills it with its descendants. It costs one idle `sh`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { markName } from "./descendants.ts";

/**
 * Null where there is no shell to hold it. `mark` is in the environment of all that
 * the CLI starts, `alsoEnds` in that of what others run for it.
 */
export function lifeline(pid: number, mark: string, alsoEnds?: string): { readonly release: () => void } | null {
  if (process.platform === "win32") return null;
  let shell: ChildProcess;
  try {
    // Its own session, so that a signal to our group or to the CLI's leaves it alone.
    const marks = [mark, ...(alsoEnds === undefined ? [] : [alsoEnds])].map((one) => `${markName}=${one}`);
    shell = spawn("/bin/sh", ["-c", script, "bowline-lifeline", String(pid), ...marks], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    });
  } catch {
    return null;
  }
  shell.on("error", () => {});
  shell.stdin?.on("error", () => {});
  shell.unref();
  return {
    release() {
      // Killed rather than told: closing the pipe is what makes it act.
      if (shell.pid !== undefined) shell.kill("SIGKILL");
    },
  };
}

/**
 * The descendants are listed before anything is asked, because those of a dead
 * process belong to nobody. The CLI itself ends its commands when asked. What it
 * leaves all the same, and what it left when it is gone already, is told by its mark,
 * as in `leftRunning`. One that nobody has buried yet is gone: it can be signalled,
 * and has no descendants any more.
 */
const script = `
tree() {
  if [ -r /proc/self/stat ]; then cat /proc/[0-9]*/stat 2>/dev/null | awk '{ pid = $1; sub(/^.*\\) /, ""); print pid, $2 }'
  else ps -A -o pid=,ppid=; fi | awk -v root="$1" '
    { parent[$1] = $2 }
    END { for (pid in parent) { p = pid; while ((p in parent) && p != root && p > 1) p = parent[p]
          if (p == root && pid != root) print pid } }'
}
left() {
  { grep -slF -e "$1" -e "\${2:-$1}" /proc/[0-9]*/environ | awk -F/ '{ print "marked", $3 }'
    cat /proc/[0-9]*/stat 2>/dev/null | awk '{ pid = $1; sub(/^.*\\) /, ""); print pid, $4 }'
  } | awk '$1 == "marked" { marked[$2]; next } ($1 in marked) && ($2 in marked) { print $1 }'
}
sweep() { [ -r /proc/self/environ ] && kill -s KILL $(left "$@") 2>/dev/null; }
lives() { kill -s 0 "$1" 2>/dev/null && ! grep -qs ') Z ' "/proc/$1/stat"; }
read -r _
below=
if lives "$1"; then
  below=$(tree "$1")
  kill -s TERM -- "-$1" 2>/dev/null
  [ -n "$3" ] && sweep "$3"
  for _ in 1 2; do
    sleep 1
    lives "$1" || break
  done
fi
kill -s KILL -- "-$1" $below 2>/dev/null
sweep "$2" "$3"
`;
