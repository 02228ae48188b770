/**
 * The sign-in of Codex, when it changes while an app-server runs that has not noticed.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { codexEngine } from "../../../lib/codex/index.ts";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { ConversationDriver } from "../../support/codex/conversation-driver.ts";
import { FakeCodex } from "../../support/codex/fake-app-server.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const signedIn = { result: { account: { type: "apiKey" }, requiresOpenaiAuth: true } };
const signedOut = { result: { account: null, requiresOpenaiAuth: true } };
const homes: string[] = [];
after(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

interface Setup {
  readonly codex: FakeCodex;
  readonly clock: FakeClock;
  readonly file: string;
  readonly open: () => Promise<void>;
}

function setup(): Setup {
  const home = mkdtempSync(join(tmpdir(), "bowline-spec-"));
  homes.push(home);
  const codex = new FakeCodex();
  const clock = fakeClock();
  const engine = codexEngine({ env: { CODEX_HOME: home }, version: "0", after: clock.after, launcher: codex.launcher });
  const open = (): Promise<void> => new ConversationDriver(engine, { cwd: home }).conversation.start();
  return { codex, clock, file: join(home, "auth.json"), open };
}

function isSignInFailure(cause: unknown): boolean {
  return cause instanceof EngineFailure && cause.kind === "not_signed_in";
}

describe("the sign-in of a Codex that runs", () => {
  it("after a sign-in, an app-server without conversations is replaced, because it would notice too late", async () => {
    const { codex, file, open } = setup();
    codex.on("account/read", () => signedOut);
    await assert.rejects(open(), isSignInFailure);
    await assert.rejects(open(), isSignInFailure);
    assert.equal(codex.processes.length, 1);
    writeFileSync(file, "{}");
    codex.on("account/read", () => (codex.processes.length > 1 ? signedIn : signedOut));
    await open();
    assert.equal(codex.processes.length, 2);
  });

  it("after a sign-in, an app-server that is used is given time to notice", async () => {
    const { codex, clock, file, open } = setup();
    codex.on("account/read", () => signedIn);
    await open();
    codex.on("account/read", () => signedOut);
    writeFileSync(file, "{}");
    let asked = 0;
    codex.on("account/read", () => (++asked > 5 ? signedIn : signedOut));
    const opening = open();
    await passing(clock, opening);
    assert.deepEqual([asked, codex.processes.length], [6, 1]);
    codex.on("account/read", () => signedOut);
    writeFileSync(file, "{} ");
    await assert.rejects(passing(clock, open()), isSignInFailure, "it does not notice");
  });

  it("after a sign-out, an app-server that is used and has not noticed opens no other conversation", async () => {
    const { codex, file, open } = setup();
    writeFileSync(file, "{}");
    codex.on("account/read", () => signedIn);
    await open();
    await open();
    rmSync(file);
    await assert.rejects(open(), isSignInFailure);
    writeFileSync(file, "{}");
    await open();
    assert.equal(codex.processes.length, 1);
  });

  it("a sign-in that was never in auth.json, and a provider that needs none, are not missed there", async () => {
    const { codex, file, open } = setup();
    for (const state of [signedIn, { result: { account: null, requiresOpenaiAuth: false } }]) {
      codex.on("account/read", () => state);
      await open();
      await open();
    }
    writeFileSync(file, "{}");
    await open();
    rmSync(file);
    await open();
    assert.equal(codex.processes.length, 1);
  });
});

/** Lets time pass until the promise is settled. */
async function passing<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  while (!isSettled) {
    await new Promise((resolve) => void setImmediate(resolve));
    clock.advance(100);
  }
  return promise;
}
