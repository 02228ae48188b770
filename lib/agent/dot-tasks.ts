/**
 * Reads the open tasks of a directory from the user's task list `dot`, for auto-continue.
 *
 * Runs `dot ls --json` of the user's own PATH in the directory, without a shell and for at
 * most `limitMs`. Without the program, or with an answer that is not understood, there are
 * no tasks.
 */
import { execFile } from "node:child_process";
import { type Environment, findExecutable } from "../process/index.ts";
import { isRecord } from "../schema/index.ts";

const limitMs = 2000;
const maxAnswerBytes = 1024 * 1024;
const maxTitleChars = 500;
const query = { variables: [], names: ["dot"], places: [] } as const;

export async function openDotTasks(cwd: string, env: Environment): Promise<readonly string[]> {
  const found = findExecutable(query, { env });
  if (found.kind !== "found") return [];
  const answer = await new Promise<string>((resolve) => {
    const options = { cwd, timeout: limitMs, maxBuffer: maxAnswerBytes, killSignal: "SIGKILL" } as const;
    execFile(found.path, ["ls", "--json"], options, (failure, stdout) => resolve(failure === null ? stdout : ""));
  });
  return readDotTasks(answer);
}

/** The titles of the open tasks in the answer of `dot ls --json`. */
export function readDotTasks(answer: string): readonly string[] {
  let read: unknown;
  try {
    read = JSON.parse(answer);
  } catch {
    return [];
  }
  if (!Array.isArray(read)) return [];
  return read.flatMap((dot: unknown) => {
    if (!isRecord(dot) || ["done", "closed", "completed"].includes(String(dot["status"]))) return [];
    const { title, description, id } = dot;
    const text = [title, description, id].find((one) => typeof one === "string" && one.trim() !== "");
    return typeof text === "string" ? [text.trim().slice(0, maxTitleChars)] : [];
  });
}
