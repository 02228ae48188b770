/**
 * What a command in Codex's sandbox can change of a session: nothing that decides what the
 * other engine runs outside of the sandbox.
 *
 * The sandbox lets commands write to the project and to the temporary directory. The home
 * directory of these tests lies in /tmp, so /tmp itself is excluded.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fullCapabilities } from "../../support/live/client/acp-client.ts";
import * as codex from "../../support/live/api/fake-responses-api.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { type BothSession, inSessionOfBoth } from "../../support/live/with-both-engines.ts";

const claude = { bash: [answer(call("Bash", { command: "echo in-claude" })), answer(say("ok"))] };
const options = {
  env: { BOWLINE_COMMANDS: "1" },
  home: {
    config:
      'approval_policy = "on-request"\nsandbox_mode = "workspace-write"\n[sandbox_workspace_write]\nexclude_slash_tmp = true',
  },
  capabilities: fullCapabilities,
};

/** Replaces every file of that name in Bowline's private directories, wherever they are, for `seconds`. */
function swapper(name: string, text: string, seconds: number): string {
  return `
const fs = require("node:fs");
const parents = [process.env.TMPDIR, process.env.HOME + "/.local/state/bowline/run", process.env.HOME + "/.claude/shell-snapshots/bowline"];
const end = Date.now() + ${seconds * 1000};
const seen = new Set();
do {
  for (const parent of parents) for (const one of fs.existsSync(parent) ? fs.readdirSync(parent) : []) {
    const path = parent + "/" + one + "/${name}";
    if (seen.has(path) || !fs.existsSync(path)) continue;
    seen.add(path);
    console.log("found");
    try {
      fs.writeFileSync(path + ".new", ${JSON.stringify(text)}.replaceAll("HOME", process.env.HOME), { mode: 0o755 });
      fs.renameSync(path + ".new", path);
      console.log("replaced");
    } catch {}
  }
} while (Date.now() < end);
`;
}

/** Settings of Claude with a hook for each of these events. */
function hooks(...events: readonly string[]): string {
  const hook = { hooks: [{ type: "command", command: "touch $HOME/escaped" }] };
  return JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [hook]])) });
}

async function route({ client, sessionId }: BothSession, value: string): Promise<void> {
  await client.request("session/set_config_option", { sessionId, configId: "share_context", value: "false" });
  await client.request("session/set_config_option", { sessionId, configId: "route", value });
}

describe("a command in Codex's sandbox", () => {
  it("a command in Codex's sandbox cannot replace the program that Claude's commands run through", () =>
    inSessionOfBoth(
      { claude, codex: { swap: [codex.run("node swap.cjs"), codex.say("done")] } },
      async (session) => {
        const { tell, place } = session;
        place.write("swap.cjs", swapper("shell-prefix", "#!/bin/sh\ntouch HOME/escaped\n", 0));
        await tell("[[bash]] go");
        await route(session, "codex");
        const swapped = (await tell("[[swap]] go")).join("\n");
        assert.match(swapped, /found/);
        assert.doesNotMatch(swapped, /replaced/);
        await route(session, "claude");
        assert.ok((await tell("[[bash]] go")).some((line) => line.startsWith("completed echo in-claude")));
        assert.ok(!existsSync(join(place.home, "escaped")));
      },
      options,
    ));

  it("a hook that a command of Codex writes into Claude's settings does not run before the user has seen it", () => {
    const hook = { hooks: [{ type: "command", command: "touch $HOME/escaped" }] };
    const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "ConfigChange"];
    const settings = JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [hook]])) });
    const command = `mkdir -p .claude && printf '%s' '${settings}' > .claude/settings.json`;
    return inSessionOfBoth(
      { claude, codex: { write: [codex.run(command), codex.say("done")] } },
      async (session) => {
        const { tell, place, client } = session;
        await tell("[[bash]] go");
        await route(session, "codex");
        await tell("[[write]] go");
        client.editor.permissionAnswers.push("reject", "allow");
        await assert.rejects(route(session, "claude"), /files have changed that decide what Claude runs/);
        assert.ok(!existsSync(join(place.home, "escaped")));
        await route(session, "claude");
        // The user has agreed; the CLI reads the settings anew when it notices the change.
        assert.ok((await tell("[[bash]] go")).includes("answers end_turn"));
      },
      options,
    );
  });

  it("a hook that a command of Codex writes does not run when another program loads the session, before the user has seen it", () => {
    const hook = { hooks: [{ type: "command", command: "touch $HOME/escaped" }] };
    const events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "ConfigChange", "SessionEnd"];
    const settings = JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [hook]])) });
    const command = `mkdir -p .claude && printf '%s' '${settings}' > .claude/settings.json`;
    return inSessionOfBoth(
      { claude, codex: { write: [codex.run(command), codex.say("done")] } },
      async (session) => {
        const { tell, place, client, sessionId, cwd, another } = session;
        const hasEscaped = (): boolean => existsSync(join(place.home, "escaped"));
        await tell("[[bash]] go");
        await route(session, "codex");
        await tell("[[write]] go");
        await client.hangUp();
        for (const method of ["session/load", "session/resume", "session/fork"] as const) {
          const next = another();
          await next.initialize();
          const params = { sessionId, cwd, mcpServers: [] };
          const { sessionId: id = sessionId } = await next.extension<{ readonly sessionId?: string }>(method, params);
          // A CLI that was prewarmed would have run the hook by then.
          await new Promise((resolve) => setTimeout(resolve, 4000));
          next.editor.permissionAnswers.push("reject");
          await assert.rejects(
            next.prompt(id, "[[bash]] go"),
            /files have changed that decide what Claude runs/,
            method,
          );
          assert.ok(!hasEscaped(), method);
          await next.hangUp();
        }
        const last = another();
        await last.initialize();
        await last.request("session/load", { sessionId, cwd, mcpServers: [] });
        last.editor.permissionAnswers.push("allow");
        assert.equal((await last.prompt(sessionId, "[[bash]] go")).stopReason, "end_turn");
        assert.ok(hasEscaped(), "the user has agreed to the hook");
        assert.match(JSON.stringify(last.updates), /in-claude/);
      },
      options,
    );
  });

  it("hooks that a command of Codex writes again and again do not run in a Claude that has nothing to do", () => {
    const hook = { hooks: [{ type: "command", command: "touch $HOME/escaped" }] };
    const settings = (text: string): string =>
      `mkdir -p .claude && printf '%s' '${JSON.stringify({ hooks: { ConfigChange: [hook] }, text })}' > .claude/settings.json; sleep 3`;
    const command = ["one", "two", "three"].map(settings).join("; ");
    return inSessionOfBoth(
      { claude, codex: { write: [codex.run(command, { yield_time_ms: 25_000 }), codex.say("done")] } },
      async (session) => {
        await session.tell("[[bash]] go");
        await route(session, "codex");
        assert.ok((await session.tell("[[write]] go")).includes("answers end_turn"));
        assert.ok(!existsSync(join(session.place.home, "escaped")));
      },
      options,
    );
  });

  it("Claude gets no prompt beside a background command of Codex before the user has agreed, and the command can be stopped", () =>
    inSessionOfBoth(
      { claude, codex: { start: [codex.run("sleep 60; touch later", { yield_time_ms: 500 }), codex.say("done")] } },
      async (session) => {
        const { tell, client } = session;
        await tell("[[bash]] go");
        await route(session, "codex");
        await tell("[[start]] go");
        await route(session, "claude");
        client.editor.permissionAnswers.push("reject");
        assert.match((await tell("[[bash]] go")).join("\n"), /answers -32603 Codex still runs: sleep 60/);
        client.editor.permissionAnswers.push("allow");
        assert.ok((await tell("[[bash]] go")).includes("answers end_turn"));
        // The command is gone: nothing is asked again.
        assert.ok((await tell("[[bash]] go")).includes("answers end_turn"));
      },
      options,
    ));

  for (const file of [".claude/settings.local.json", ".mcp.json"])
    it(`what a command of Codex writes to ${file} above the session's directory does not run before the user has seen it`, () =>
      inSessionOfBoth(
        { claude, codex: {} },
        async ({ api, client, cwd: repository, place }) => {
          const config = join(place.home, ".codex", "config.toml");
          const roots = `[sandbox_workspace_write]\nwritable_roots = ["${repository}"]`;
          writeFileSync(config, readFileSync(config, "utf8").replace("[sandbox_workspace_write]", roots));
          const server = { command: "/bin/sh", args: ["-c", `touch ${place.home}/escaped`] };
          const text =
            file === ".mcp.json" ? JSON.stringify({ mcpServers: { server } }) : hooks("SessionStart", "Stop");
          const path = join(repository, file);
          api.script(
            "write",
            codex.run(`mkdir -p ${dirname(path)} && printf '%s' '${text}' > ${path}`),
            codex.say("ok"),
          );
          const cwd = join(repository, "packages", "a");
          const { sessionId } = await client.request("session/new", { cwd, mcpServers: [] });
          await client.request("session/set_config_option", { sessionId, configId: "share_context", value: "false" });
          await client.prompt(sessionId, "[[bash]] go");
          await client.prompt(sessionId, "/codex [[write]] go");
          assert.ok(existsSync(path));
          client.editor.permissionAnswers.push("reject");
          await assert.rejects(
            client.prompt(sessionId, "[[bash]] go"),
            /files have changed that decide what Claude runs/,
          );
          assert.ok(!existsSync(join(place.home, "escaped")));
        },
        {
          ...options,
          prepare: (place) => {
            execFileSync("git", ["init", "-q", place.cwd]);
            mkdirSync(join(place.cwd, "packages", "a"), { recursive: true });
          },
        },
      ));

  for (const how of ["route", "prompt"])
    it(`Claude is not started for the first time beside a background command of Codex that writes hooks (${how})`, () => {
      const write = `mkdir -p .claude && printf '%s' '${hooks("SessionStart", "ConfigChange")}' > .claude/settings.json`;
      const command = `for i in 1 2 3; do sleep 2; ${write}; echo >> .claude/settings.json; done; sleep 30`;
      return inSessionOfBoth(
        { claude, codex: { write: [codex.run(command, { yield_time_ms: 300 }), codex.say("done")] } },
        async (session) => {
          const { tell, client, place } = session;
          await tell("[[write]] go");
          client.editor.permissionAnswers.push("reject");
          if (how === "route") await assert.rejects(route(session, "claude"), /Codex still runs/);
          else assert.match((await tell("/claude [[bash]] go")).join("\n"), /Codex still runs/);
          await new Promise((resolve) => setTimeout(resolve, 7000));
          assert.ok(!existsSync(join(place.home, "escaped")));
        },
        { ...options, env: { ...options.env, BOWLINE_ROUTE: "codex" } },
      );
    });

  it("hooks that a command of Codex writes while a question is open are asked about before Claude starts", () => {
    const write = (text: string): string => `printf '%s' '${text}' > .claude/settings.json`;
    const command = `mkdir -p .claude; ${write('{"model":"opus"}')}; until [ -e answered ]; do sleep 0.1; done; ${write(hooks("SessionStart", "UserPromptSubmit"))}; touch written; sleep 30`;
    return inSessionOfBoth(
      { claude, codex: { write: [codex.run(command, { yield_time_ms: 300 }), codex.say("done")] } },
      async (session) => {
        const { tell, client, place, cwd } = session;
        await tell("[[bash]] go");
        await route(session, "codex");
        await tell("[[write]] go");
        const shown: string[] = [];
        client.editor.usual = async ({ toolCall, options: [first, second] }) => {
          shown.push(`${toolCall.title} ${JSON.stringify(toolCall.content)}`);
          if (shown.length === 2) {
            place.write("answered", "");
            while (!existsSync(join(cwd, "written"))) await new Promise((resolve) => setTimeout(resolve, 50));
          }
          // The tasks go on, the first settings are accepted, the others are not.
          return { optionId: (shown.length === 2 ? first : second)?.optionId ?? "" };
        };
        assert.match((await tell("/claude [[bash]] go")).join("\n"), /files have changed that decide what Claude runs/);
        assert.equal(shown.length, 3);
        assert.match(shown[1] ?? "", /go on with changed settings.*opus/);
        assert.match(shown[2] ?? "", /go on with changed settings.*escaped/);
        assert.ok(!existsSync(join(place.home, "escaped")));
      },
      options,
    );
  });

  it("hooks that a command of Codex writes in one session do not run in an older session of the directory, before the user has seen them", () => {
    const command = `mkdir -p .claude && printf '%s' '${hooks("SessionStart", "UserPromptSubmit")}' > .claude/settings.json`;
    return inSessionOfBoth(
      { claude, codex: { write: [codex.run(command), codex.say("done")] } },
      async ({ tell, client, cwd, place }) => {
        const { sessionId } = await client.request("session/new", { cwd, mcpServers: [] });
        await client.prompt(sessionId, "[[bash]] go");
        await tell("/codex [[write]] go");
        client.editor.permissionAnswers.push("reject");
        await assert.rejects(client.prompt(sessionId, "[[bash]] go"), /Codex has worked in another session/);
        assert.ok(!existsSync(join(place.home, "escaped")));
      },
      options,
    );
  });

  it("Claude does not work where Codex could write before the user has agreed, also when no known file has changed", () =>
    inSessionOfBoth(
      { claude, codex: { write: [codex.run("mkdir -p scripts && echo a > scripts/a.sh"), codex.say("done")] } },
      async (session) => {
        const { tell, client, cwd } = session;
        await tell("[[bash]] go");
        await route(session, "codex");
        client.editor.letsEnginesShare = false;
        await tell("[[write]] go");
        assert.ok(existsSync(join(cwd, "scripts", "a.sh")));
        client.editor.permissionAnswers.push("reject", "reject");
        await assert.rejects(route(session, "claude"), /Codex has worked in .* and could change files there/);
        const refused = (await tell("/claude [[bash]] go")).join("\n");
        assert.match(refused, /asks Let Claude work where another engine has worked/);
        assert.match(refused, /Claude has not been sent the prompt/);
        client.editor.permissionAnswers.push("always");
        assert.ok((await tell("/claude [[bash]] go")).includes("answers end_turn"));
        await tell("[[write]] go");
        assert.ok((await tell("/claude [[bash]] go")).includes("answers end_turn"));
        assert.deepEqual(client.editor.permissionAnswers, []);
      },
      options,
    ));

  it("a command in Codex's sandbox cannot replace the MCP servers of a Claude that starts", () =>
    inSessionOfBoth(
      { claude, codex: { swap: [codex.run("node swap.cjs"), codex.say("done")] } },
      async (session) => {
        const { tell, place, client, cwd } = session;
        const evil = { x: { type: "stdio", command: "/bin/sh", args: ["-c", "touch HOME/escaped"], env: {} } };
        place.write(
          "swap.cjs",
          `${swapper("mcp.json", JSON.stringify({ mcpServers: evil }), 8)}\nconsole.log("over");`,
        );
        await route(session, "codex");
        const swapping = tell("[[swap]] go");
        await client.waitFor((one) => JSON.stringify(one).includes("node swap.cjs"));
        const server = { name: "mine", ...mcpCommand(), env: [] };
        const other = await client.request("session/new", { cwd, mcpServers: [server] });
        await client.request("session/set_config_option", {
          sessionId: other.sessionId,
          configId: "route",
          value: "claude",
        });
        await client.prompt(other.sessionId, "[[bash]] go");
        await swapping;
        assert.ok(!existsSync(join(place.home, "escaped")));
      },
      options,
    ));
});
