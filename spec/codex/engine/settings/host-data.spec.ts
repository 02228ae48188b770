/**
 * What a conversation asks Codex for when it starts, and what it takes from an earlier one.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { codexEngine } from "../../../../lib/codex/index.ts";
import { EngineFailure } from "../../../../lib/engine/index.ts";
import { ConversationDriver } from "../../../support/codex/conversation-driver.ts";
import { FakeCodex } from "../../../support/codex/fake-app-server.ts";
import { type FakeClock, fakeClock } from "../../../support/fake-clock.ts";

const root = mkdtempSync(join(tmpdir(), "bowline-spec-"));
after(() => rmSync(root, { recursive: true, force: true }));
let places = 0;

interface Setup {
  readonly codex: FakeCodex;
  readonly clock: FakeClock;
  readonly home: string;
  readonly cwd: string;
  /** Opens a conversation and returns what it has asked for. */
  readonly asked: (cwd?: string) => Promise<readonly string[]>;
}

function setup(): Setup {
  const place = join(root, String(++places));
  const [home, cwd] = [join(place, "codex-home"), join(place, "project", "deep")];
  for (const directory of [home, cwd]) mkdirSync(directory, { recursive: true });
  const codex = new FakeCodex();
  const clock = fakeClock();
  const engine = codexEngine({
    env: { CODEX_HOME: home },
    version: "0",
    after: clock.after,
    launcher: codex.launcher,
  });
  const asked = async (where = cwd): Promise<readonly string[]> => {
    const { conversation } = new ConversationDriver(engine, { cwd: where, after: clock.after });
    const before = codex.processes.at(-1)?.requests.length ?? 0;
    const launched = codex.processes.length;
    await conversation.start();
    const seen = codex.current.requests.slice(codex.processes.length > launched ? 0 : before);
    return seen.map(({ method }) => method).filter((method) => /config|account|model/.test(method));
  };
  return { codex, clock, home, cwd, asked };
}

/** Resolves when all lines that were sent have arrived: links in memory deliver in microtasks. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

const everything = ["account/read", "config/read", "model/list"];

describe("requests of a new conversation to Codex", () => {
  it("the sign-in is asked for by each conversation, the models and the configuration of a directory once", async () => {
    const { asked, cwd } = setup();
    assert.deepEqual((await asked()).toSorted(), everything);
    assert.deepEqual(await asked(), ["account/read"]);
    assert.deepEqual(await asked(join(cwd, "..")), ["account/read", "config/read"]);
    assert.deepEqual(await asked(), ["account/read"]);
  });

  it("a sign-out is noticed by the next conversation, whatever was kept", async () => {
    const { codex, asked } = setup();
    await asked();
    codex.on("account/read", () => ({ result: { account: null, requiresOpenaiAuth: true } }));
    await assert.rejects(asked(), (cause) => cause instanceof EngineFailure && cause.kind === "not_signed_in");
  });

  it("the configuration is asked for again when a file of it was written, created or deleted", async () => {
    const { asked, home, cwd } = setup();
    await asked();
    const own = join(cwd, "..", ".codex");
    mkdirSync(own);
    for (const change of [
      () => writeFileSync(join(home, "config.toml"), "sandbox_mode = 1"),
      () => writeFileSync(join(home, "config.toml"), "sandbox_mode = 2"),
      () => writeFileSync(join(home, "managed_config.toml"), ""),
      () => writeFileSync(join(own, "config.toml"), ""),
      () => rmSync(join(own, "config.toml")),
    ]) {
      change();
      assert.ok((await asked()).includes("config/read"), String(change));
      assert.deepEqual(await asked(), ["account/read"]);
    }
  });

  it("the models are asked for again when the user has signed in to something else, or Codex has got other models", async () => {
    const { asked, home } = setup();
    await asked();
    for (const name of ["auth.json", "models_cache.json"]) {
      writeFileSync(join(home, name), "{}");
      assert.ok((await asked()).includes("model/list"), name);
    }
  });

  it("everything is asked for again when Codex reports another account, after five minutes and in another app-server", async () => {
    const { codex, clock, asked } = setup();
    await asked();
    codex.current.notify("account/rateLimits/updated", {});
    assert.deepEqual(await asked(), ["account/read"]);
    codex.current.notify("account/updated", { authMode: "apikey" });
    await settled();
    assert.deepEqual((await asked()).toSorted(), everything);
    clock.advance(5 * 60_000);
    assert.deepEqual((await asked()).toSorted(), everything);
    codex.current.crash();
    await settled();
    assert.deepEqual((await asked()).toSorted(), everything);
    assert.equal(codex.processes.length, 2);
  });

  it("an answer that was on its way when the account changed is not kept", async () => {
    const { codex, asked } = setup();
    codex.on("config/read", () => {
      codex.current.notify("account/login/completed", { success: true });
      return { result: { config: {} } };
    });
    await asked();
    codex.on("config/read", () => ({ result: { config: {} } }));
    assert.deepEqual(
      (await asked()).filter((method) => method === "config/read"),
      ["config/read"],
    );
  });
});
