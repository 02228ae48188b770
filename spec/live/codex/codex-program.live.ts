/**
 * Live specs of the program's commands with the real Codex: record, replay, tap, inspect,
 * packets, chat, serve, doctor and check.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readRows } from "../../../lib/tape/index.ts";
import { ResponsesApi, run as command, say } from "../../support/live/api/fake-responses-api.ts";
import { codexEnvironment } from "../../support/live/real-codex.ts";
import { workspace } from "../../support/live/workspace.ts";
import { editor } from "../../support/program/editor-client.ts";
import { bowline, run } from "../../support/program/run-program.ts";

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The path of a file outside the project. */
  readonly path: (name: string) => string;
}

const talk = [command("echo tied"), say("The knot holds.")];
const prompt = "[[talk]] tie a knot";

async function withCodex(play: (place: Place) => Promise<void>): Promise<void> {
  await using place = workspace();
  await using api = await ResponsesApi.start({ talk });
  const env = codexEnvironment(api.port, place.home, {}, { BOWLINE_ROUTE: "codex", BOWLINE_PREWARM: "0" });
  await play({ env, cwd: place.cwd, path: (name) => join(place.root, name) });
}

describe("the program's commands with the real Codex", () => {
  it("a session is recorded, played again from both sides, inspected and turned into packets", () =>
    withCodex(async ({ env, cwd, path }) => {
      const words = ["record", "--route", "codex", "-o", path("tapes")];
      const first = await editor(bowline(words), { env: { ...env, BOWLINE_RECORD_SECRETS: "1" } });
      assert.deepEqual(await first.work(cwd, prompt), ["end_turn"]);
      await first.leave();
      const tape = join(path("tapes"), readdirSync(path("tapes"))[0] ?? "");
      for (const how of [[], ["--codex"]]) {
        const again = await editor(bowline(["replay", "--strict", ...how, tape]), { env });
        assert.deepEqual(await again.work(cwd, prompt), ["end_turn"], how.join());
        await again.leave();
        assert.match(again.lines.join("\n"), /holds\./);
      }
      const inspected = await run(["inspect", tape], env).ended;
      assert.ok(existsSync(inspected.stdout.toString().trim()), inspected.stderr);
      const packets = await run(["packets", tape], env).ended;
      assert.match(packets.stdout.toString(), /holds\./);
      assert.match(packets.stdout.toString(), /"type":"prompt_response"/);
    }));

  it("bowline tap finds no problem on the wire", () =>
    withCodex(async ({ env, cwd, path }) => {
      const tape = path("tapped.ndjson");
      const one = await editor(bowline(["tap", "-o", tape, "--", ...bowline(["agent", "--route", "codex"])]), { env });
      assert.deepEqual(await one.work(cwd, prompt), ["end_turn"]);
      await one.leave();
      const kinds = readRows(readFileSync(tape, "utf8")).map(({ kind }) => kind);
      assert.ok(kinds.includes("message") && !kinds.includes("problem"), kinds.join(" "));
    }));

  it("bowline chat prints the answer, and bowline doctor finds Codex and its sign-in", () =>
    withCodex(async ({ env, cwd }) => {
      const chat = run(["chat", "--route", "codex", "--no-history", "--cwd", cwd], env);
      chat.child.stdin.end(`${prompt}\n`);
      const { code, stdout, stderr } = await chat.ended;
      assert.equal(code, 0, stderr);
      assert.match(stdout.toString(), /^Bowline \d+\.\d+\.\d+ · Codex 0\.166\.0 · [^]*The knot holds\./);
      const doctor = await run(["doctor"], env).ended;
      assert.match(doctor.stdout.toString(), /codex[^\n]*0\.166\.0/i);
    }));

  it("bowline serve runs a turn, and bowline check finds no broken rule", () =>
    withCodex(async ({ env, cwd }) => {
      const served = run(["serve", "--route", "codex", "--port", "0", "--cwd", cwd], { ...env, BOWLINE_TOKEN: "" });
      await served.says("#token=");
      const { origin, hash } = new URL(served.stdout().trim());
      const headers = { authorization: `Bearer ${hash.slice("#token=".length)}`, "content-type": "application/json" };
      const opened = await fetch(`${origin}/sessions`, { method: "POST", headers, body: "{}" });
      const { id } = (await opened.json()) as { readonly id: string };
      const body = JSON.stringify({ content: prompt });
      const answer = await fetch(`${origin}/sessions/${id}/send-message`, { method: "POST", headers, body });
      assert.match(await answer.text(), /holds\./);
      served.child.kill("SIGTERM");
      await served.ended;

      const { stdout } = await run(["check", "--json", "--", ...bowline(["agent", "--route", "codex"])], env).ended;
      const { rules } = JSON.parse(stdout.toString()) as {
        readonly rules: readonly { readonly id: string; readonly status: string }[];
      };
      const known = [
        // Codex lets one process write a conversation; check loads it in a second process while the first has it open.
        "saved/load",
        "saved/resume",
        // Codex cannot start the MCP server of check, which only waits for a connection; the notice may come after a cancelled turn.
        "session/mcp-connects",
        "prompt/updates-first",
      ];
      assert.deepEqual(
        rules.filter(({ id: rule, status }) => status === "fail" && !known.includes(rule)),
        [],
      );
      assert.ok(rules.filter(({ status }) => status === "pass").length > 40);
    }));
});
