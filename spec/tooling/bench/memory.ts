/**
 * Reads how much memory another process uses.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The resident set of a process. */
export function residentMegabytes(pid: number): number {
  return residentKilobytes(pid) / 1024;
}

function residentKilobytes(pid: number): number {
  if (process.platform !== "linux") return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]));
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
}
