/**
 * A `bowline serve` of the same user, which shows the sessions that others share.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Visitor, visitor } from "../serve/test-server.ts";
import type { LiveEnvironment } from "./live-environment.ts";

/** Starts the server; the environment ends it. */
export async function sharedPage({ program, own }: LiveEnvironment): Promise<Visitor> {
  const { command, args = [], env, cwd } = program({ args: ["serve", "--port", "0"], env: { BOWLINE_PREWARM: "0" } });
  const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "close");
  own({
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await exit;
    },
  });
  const [line] = await once(child.stdout, "data");
  const { origin, hash } = new URL(String(line).trim());
  return visitor(origin, hash.replace("#token=", ""));
}

/** Waits for the session in the server's list. */
export async function sessionShown({ call: ask }: Visitor, id: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const { sessions } = (await ask("GET", "/sessions")).json;
    if (sessions.some((one: any) => one.id === id)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("the server does not show the session");
}

/** Answers the one question that is open with the option of this kind, and returns the question's title. */
export async function answerQuestion({ call: ask }: Visitor, kind: string): Promise<string> {
  const { questions } = (await ask("GET", "/questions")).json;
  const [{ id, request }] = questions;
  const { optionId } = request.options.find((one: any) => one.kind === kind);
  const { status } = await ask("POST", `/questions/${id}`, { body: { optionId } });
  assert.equal(status, 204);
  return request.toolCall.title;
}
