/**
 * Live specs of a Codex that is killed while it sets up the sandbox of a command.
 *
 * The setup takes milliseconds. A `bwrap` on PATH makes it last: it passes everything on to
 * the real one, which it lets wait between its outer and its inner process.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { AcpClient } from "../../support/live/client/acp-client.ts";
import { type CodexAgent, appServerOf, withCodexAgent } from "../../support/live/codex/codex-agent.ts";
import { run, say } from "../../support/live/api/fake-responses-api.ts";
import { type ProcessEntry, waitUntil } from "../../support/processes.ts";

const waitingBwrap = `#!/bin/sh
PATH=\${PATH#*:}
case "$*" in *'sleep 478'*) ;; *) exec bwrap "$@" ;; esac
[ -p "$0.fifo" ] || mkfifo "$0.fifo"
exec 8>/dev/null 9<>"$0.fifo"
exec bwrap --unshare-user --info-fd 8 --userns-block-fd 9 "$@"
`;

const isBwrap = ({ command }: ProcessEntry): boolean => command.startsWith("bwrap --unshare-user");

describe("a Codex that is killed while it sets up a sandbox", () => {
  it("the inner process of the sandbox does not outlive Codex, and the session goes on", () =>
    inSandboxSetup(async (play, client, sessionId) => {
      const prompted = client.prompt(sessionId, "[[wait]] go").then(
        ({ stopReason }) => stopReason,
        (cause: Error) => cause.message,
      );
      await setupBegan(play);
      process.kill((await appServerOf(play)).pid, "SIGKILL");
      assert.match(await prompted, /Codex was ended by SIGKILL/);
      const left = await waitUntil(play.place.root, (all) => !all.some(isBwrap));
      assert.deepEqual(left.filter(isBwrap), []);
      assert.equal((await client.prompt(sessionId, "[[hi]] go")).stopReason, "end_turn");
    }));

  it("the inner process of the sandbox does not outlive the program that is killed together with Codex", () =>
    inSandboxSetup(async (play, client, sessionId) => {
      client.prompt(sessionId, "[[wait]] go").catch(() => {});
      await setupBegan(play);
      const { pid } = await appServerOf(play);
      // The program is stopped first, so that it cannot clean up after Codex.
      process.kill(client.program.pid, "SIGSTOP");
      process.kill(pid, "SIGKILL");
      await client.program.kill("SIGKILL");
      const left = await waitUntil(play.place.root, (all) => !all.some(isBwrap));
      assert.deepEqual(left.filter(isBwrap), []);
    }));
});

function inSandboxSetup(
  play: (driver: CodexAgent, client: AcpClient, sessionId: string) => Promise<void>,
): Promise<void> {
  return withCodexAgent(
    { wait: [run("sleep 478"), say("never")], hi: [say("Hello.")] },
    async (driver) => {
      const { place, own, program, cwd } = driver;
      const bin = join(place.home, "bin");
      mkdirSync(bin);
      writeFileSync(join(bin, "bwrap"), waitingBwrap);
      chmodSync(join(bin, "bwrap"), 0o755);
      const { env, ...rest } = program();
      const path = [bin, env["PATH"] ?? ""].join(delimiter);
      const client = own(new AcpClient({ ...rest, env: { ...env, PATH: path, BOWLINE_PREWARM: "0" } }));
      await play(driver, client, await client.open(cwd));
    },
    { overlook: "all" },
  );
}

/** The outer and the inner process wait for each other. */
async function setupBegan({ place }: CodexAgent): Promise<void> {
  const all = await waitUntil(place.root, (some) => some.filter(isBwrap).length === 2, 10_000);
  assert.equal(all.filter(isBwrap).length, 2, "the sandbox is being set up");
}
