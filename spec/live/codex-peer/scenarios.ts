/**
 * What happens with Bowline and with codex-acp, for each point in which Bowline is meant to
 * be better. Each observation is a few words, and the same words for the same behaviour.
 */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  call,
  ending,
  escalate,
  message,
  patch,
  run,
  say,
  sayForEver,
  status,
} from "../../support/live/api/fake-responses-api.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";
import { residentKb, waitForCommand } from "../../support/processes.ts";
import { endOf, runsAfterTwoSeconds, type Scenario, type Stage } from "./two-agents.ts";

const hi = { hi: [say("Hello.")] };
const newFile = "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch";
/** Asks for everything that writes. */
const asking = { config: 'sandbox_mode = "read-only"\napproval_policy = "on-request"' };
const writing = 'sandbox_mode = "workspace-write"\napproval_policy = "never"';

/** Plays a prompt in a new session; returns the session's id and how the prompt ended. */
async function play(
  stage: Stage,
  prompt: string,
  open = opened,
): Promise<{ readonly id: string; readonly end: string }> {
  const id = await open(stage);
  return { id, end: await endOf(stage.client.prompt(id, prompt)) };
}

const opened = ({ client, cwd }: Stage): Promise<string> => client.open(cwd);

/** A session in which the user is asked. codex-acp begins in a mode in which a second model decides instead. */
async function openedAsking(stage: Stage): Promise<string> {
  const sessionId = await opened(stage);
  if (stage.name === "codex-acp") await stage.client.request("session/set_mode", { sessionId, modeId: "read-only" });
  return sessionId;
}

/** Starts a prompt that runs a command, and waits until the command runs. */
async function running(
  stage: Stage,
  words: string,
  open = opened,
): Promise<{ readonly id: string; readonly end: Promise<string> }> {
  const id = await open(stage);
  const end = endOf(stage.client.prompt(id, "[[go]]"));
  await waitForCommand(stage.place.root, words);
  return { id, end };
}

function callsOf({ client }: Stage, id: string): string {
  const isEnded = client.toolCalls(id).every((one) => one.status === "completed" || one.status === "failed");
  return isEnded ? "its call ended" : "its call open";
}

const wrote = (path: string): string => (existsSync(path) ? "it writes" : "the sandbox refuses it");

const configuration: readonly Scenario[] = [
  {
    what: 'config.toml has `sandbox_mode = "read-only"`: a command writes in the project',
    scripts: { go: [run("sleep 0.1; echo x > made.txt"), say("Done.")] },
    home: asking,
    observe: async (stage) => {
      await play(stage, "[[go]]");
      return wrote(stage.place.path("made.txt"));
    },
  },
  {
    what: 'config.toml has `approval_policy = "never"`: the model asks to leave the sandbox',
    scripts: { go: [escalate("echo out", "May I?"), say("Done.")] },
    home: { config: writing },
    observe: async (stage) => {
      await play(stage, "[[go]]");
      const { length } = stage.client.editor.asked;
      const isRun = stage.api.sentTo("go").some((sent) => sent.includes("Process exited with code 0"));
      return length > 0 ? "the user is asked" : isRun ? "it runs outside the sandbox" : "refused";
    },
  },
  {
    what: "config.toml has `writable_roots`: a command writes there",
    scripts: { go: [run("sleep 0.1; echo x > ../far/made.txt"), say("Done.")] },
    home: { config: writing },
    observe: async (stage) => {
      const far = join(stage.place.root, "far");
      mkdirSync(far);
      const table = `exclude_slash_tmp = true\nexclude_tmpdir_env_var = true\nwritable_roots = ["${far}"]`;
      stage.setConfig(`${stage.config()}\n[sandbox_workspace_write]\n${table}\n`);
      await play(stage, "[[go]]");
      return wrote(join(far, "made.txt"));
    },
  },
  {
    what: "config.toml has `network_access = true`: a command connects to a port of this machine",
    scripts: { go: [run(`sleep 0.1; (exec 3<>/dev/tcp/127.0.0.1/PORT) && echo x > made.txt`), say("Done.")] },
    home: { config: writing, tables: "[sandbox_workspace_write]\nnetwork_access = true" },
    observe: async (stage) => {
      const command = `sleep 0.1; (exec 3<>/dev/tcp/127.0.0.1/${stage.api.port}) && echo x > made.txt`;
      stage.api.script("go", run(command), say("Done."));
      await play(stage, "[[go]]");
      return existsSync(stage.place.path("made.txt")) ? "connected" : "no network";
    },
  },
  {
    what: "config.toml names a provider with a model that Codex does not list: the model of a request, and the one that is shown",
    scripts: hi,
    home: { model: "my-own-model" },
    observe: async (stage) => {
      const { client, api, cwd } = stage;
      await client.initialize();
      const { sessionId, configOptions } = await client.newSession(cwd);
      await endOf(client.prompt(sessionId, "[[hi]]"));
      const shown = configOptions?.find(({ id }) => id === "model")?.currentValue;
      return `${String(api.calls[0]?.body["model"])}, shown as ${String(shown)}`;
    },
  },
  {
    what: "config.toml after sessions, prompts and a mode that writes, in a repository",
    scripts: hi,
    home: { config: 'sandbox_mode = "workspace-write"' },
    observe: async (stage) => {
      const { client, cwd, config } = stage;
      execFileSync("git", ["init", "-q"], { cwd });
      const before = config();
      const { id } = await play(stage, "[[hi]]");
      const modes = { Bowline: "acceptEdits", "codex-acp": "workspace-write" };
      await client.request("session/set_mode", { sessionId: id, modeId: modes[stage.name] }).catch(() => {});
      await endOf(client.prompt(id, "[[hi]]"));
      return config() === before ? "unchanged" : "changed";
    },
  },
];

const trust: readonly Scenario[] = [
  {
    what: "a repository has an MCP server of its own in `.codex/config.toml`, and is opened",
    scripts: hi,
    observe: async (stage) => {
      const { cwd, place } = stage;
      execFileSync("git", ["init", "-q"], { cwd });
      const started = JSON.stringify(place.path("started"));
      place.write("evil.mjs", `import { writeFileSync } from "node:fs"; writeFileSync(${started}, "");`);
      const server = `command = "${process.execPath}"\nargs = ["${place.path("evil.mjs")}"]`;
      place.write(".codex/config.toml", `[mcp_servers.evil]\n${server}\n`);
      await play(stage, "[[hi]]");
      return existsSync(place.path("started")) ? "its program runs" : "its program does not run";
    },
  },
  {
    what: 'the user chooses each kind of "always" for a command: files below CODEX_HOME that say so for ever',
    scripts: { go: [escalate("git status", "May I?"), say("Done.")] },
    home: asking,
    observe: async (stage) => {
      const { client, place } = stage;
      const before = stage.config();
      client.editor.usual = ({ options }) => {
        const always = options.filter(({ kind }) => kind === "allow_always");
        return { optionId: (always.at(-1) ?? options[0])?.optionId ?? "" };
      };
      await play(stage, "[[go]]", openedAsking);
      const rules = join(place.home, ".codex", "rules");
      const isSaved =
        existsSync(rules) && readdirSync(rules).some((name) => readFileSync(join(rules, name), "utf8") !== "");
      if (client.editor.asked.length === 0) return "the user is not asked";
      return isSaved || stage.config() !== before ? "a rule is saved" : "none";
    },
  },
];

const turns: readonly Scenario[] = [
  {
    what: "a cancel while a command runs: the command 2 s later",
    scripts: { go: [run("sleep 474"), say("Never.")] },
    observe: async (stage) => {
      const { id, end } = await running(stage, "sleep 474");
      await stage.client.cancel(id);
      const stop = await end;
      return `${stop}, the command ${await runsAfterTwoSeconds(stage.place, "sleep 474")}, ${callsOf(stage, id)}`;
    },
  },
  {
    what: "a command prints while it runs on after its turn: what arrives after the answer",
    scripts: {
      go: [run("for i in 1 2 3 4 5 6; do echo tick $i; sleep 0.5; done", { yield_time_ms: 250 }), say("Done.")],
    },
    observe: async (stage) => {
      const { client } = stage;
      const { id } = await play(stage, "[[go]]");
      const count = client.updatesOf(id).length;
      await pause(4000);
      const late = client.updatesOf(id).slice(count);
      const before = client.updatesOf(id).slice(0, count);
      const isCall = (one: SessionUpdate): boolean => one.sessionUpdate === "tool_call_update";
      const isAnnounced = JSON.stringify(before.filter(isCall)).includes("in the background");
      const what = late.length === 1 ? "the end of the call" : "output as it is printed";
      return `${late.every(isCall) ? what : "other updates"}, ${isAnnounced ? "" : "not "}announced as background work`;
    },
  },
  {
    what: "a second prompt while the first runs",
    scripts: { go: [run("sleep 1.5"), say("First.")], also: [say("Second.")] },
    observe: async (stage) => {
      const { client } = stage;
      const { id, end } = await running(stage, "sleep 1.5");
      const second = endOf(client.prompt(id, "[[also]]"), 15_000);
      const ends = [await end, await second].join(", ");
      const texts = client.text(id).replaceAll(/\s+/g, "");
      const isOwn =
        texts.includes("First.") && texts.includes("Second.") && texts.indexOf("First.") < texts.indexOf("Second.");
      return `${ends}; ${isOwn ? "each has its answer, in order" : `the answers are: ${texts}`}`;
    },
  },
  {
    what: "one command is rejected: the turn, and the call",
    scripts: { go: [escalate("echo out", "May I?"), say("Something else.")] },
    home: asking,
    observe: async (stage) => {
      stage.client.editor.usual = "reject";
      const { id, end } = await play(stage, "[[go]]", openedAsking);
      const goesOn = stage.client.text(id).includes("Something else.") ? "the model goes on" : "the model is stopped";
      return `${end}, ${goesOn}, ${callsOf(stage, id)}`;
    },
  },
  {
    what: "a patch is rejected: the turn, and the call",
    scripts: { go: [patch(newFile), say("Something else.")] },
    home: asking,
    observe: async (stage) => {
      stage.client.editor.usual = "reject";
      const { id, end } = await play(stage, "[[go]]", openedAsking);
      if (stage.client.editor.asked.length === 0) return "the user is not asked";
      const goesOn = stage.client.text(id).includes("Something else.") ? "the model goes on" : "the model is stopped";
      return `${end}, ${goesOn}, ${callsOf(stage, id)}`;
    },
  },
  {
    what: "a patch is asked about and the question is cancelled: the call",
    scripts: { go: [patch(newFile), say("Something else.")] },
    home: asking,
    observe: async (stage) => {
      stage.client.editor.usual = "cancel";
      const { id, end } = await play(stage, "[[go]]", openedAsking);
      if (stage.client.editor.asked.length === 0) return "the user is not asked";
      return `${end}, ${callsOf(stage, id)}`;
    },
  },
];

const failures: readonly Scenario[] = [
  ...(
    [
      ["429", status(429, { error: { message: "slow down" } })],
      ["500", status(500, { error: { message: "oops" } })],
      ["400", status(400, { error: { message: "this cannot be" } })],
      ["a full context", ending({ kind: "failed", code: "context_length_exceeded", message: "x" })],
      ["an answer that is cut off", ending({ kind: "incomplete", reason: "max_output_tokens" }, message("Half "))],
    ] as const
  ).map(([what, reply]): Scenario => ({
    what: `the API answers with ${what}`,
    scripts: { go: [reply] },
    observe: async (stage) => (await play(stage, "[[go]]")).end,
  })),
  {
    what: "the API refuses the key (401): the end, and the requests until then",
    scripts: hi,
    observe: async (stage) => {
      stage.api.keys.clear();
      const { end } = await play(stage, "[[hi]]");
      const { refusedCount } = stage.api;
      return `${end} after ${refusedCount} ${refusedCount === 1 ? "request" : "requests"}`;
    },
  },
  {
    what: "the variable with the key is missing",
    scripts: hi,
    env: { FAKE_KEY: undefined },
    observe: async (stage) => (await play(stage, "[[hi]]")).end,
  },
  {
    what: "the API cannot be reached: what the user is told within 8 s",
    scripts: hi,
    observe: async (stage) => {
      const { client, api, cwd } = stage;
      const id = await client.open(cwd);
      await api[Symbol.asyncDispose]();
      const from = client.updatesOf(id).length;
      void endOf(client.prompt(id, "[[hi]]"));
      await pause(8000);
      const told = client
        .updatesOf(id)
        .slice(from)
        .filter((one) => /chunk$|^notice$/.test(one.sessionUpdate));
      return told.length > 0 ? "that there is no connection" : "nothing";
    },
  },
];

const processes: readonly Scenario[] = [
  {
    what: "the app-server is killed while an unsandboxed command runs: the turn, the command 2 s later, the next prompt",
    scripts: { go: [escalate("trap '' HUP; sleep 473; echo over", "May I?"), say("Never.")], ...hi },
    observe: async (stage) => {
      const { client, place } = stage;
      const { id, end } = await running(stage, "sleep 473", openedAsking);
      process.kill((await waitForCommand(place.root, "app-server")).pid, "SIGKILL");
      const stop = await Promise.race([end, pause(5000, "no answer in 5 s")]);
      const command = await runsAfterTwoSeconds(place, "sleep 473");
      const next = await endOf(client.prompt(id, "[[hi]]"), 8000);
      const isAnswered = client.text(id).includes("Hello.");
      return `${stop}; the command ${command}; ${next}, ${isAnswered ? "with an answer" : "without an answer"}`;
    },
  },
  {
    what: "the app-server is frozen in a turn: a cancel, and the next prompt",
    scripts: { go: [sayForEver("Working.")], ...hi },
    observe: async (stage) => {
      const { client, place, cwd } = stage;
      const id = await client.open(cwd);
      const end = endOf(client.prompt(id, "[[go]]"), 10_000);
      await client.waitFor((one) => JSON.stringify(one).includes("Working."));
      process.kill((await waitForCommand(place.root, "app-server")).pid, "SIGSTOP");
      await client.cancel(id);
      const stop = await end;
      return `${stop}; ${await endOf(client.prompt(id, "[[hi]]"), 10_000)}`;
    },
  },
  {
    what: "Codex cannot start: initialize, and session/new",
    observe: async (stage) => {
      const { client, cwd } = stage;
      const initialized = await endOf(
        client.initialize().then(() => ({ stopReason: "answered" })),
        8000,
      );
      const opened = await endOf(
        client.newSession(cwd).then(() => ({ stopReason: "opened" })),
        8000,
      );
      return `${initialized}; ${opened}`;
    },
    brokenCodex: true,
  },
  {
    what: "session/new in a directory that does not exist",
    observe: async ({ client, cwd }) => {
      await client.initialize();
      return endOf(client.newSession(join(cwd, "missing")).then(() => ({ stopReason: "opened" })));
    },
  },
  {
    what: "the editor stops reading while the model sends 24 MB: the memory of the adapter",
    scripts: { go: [say(...Array.from({ length: 12_000 }, () => `${"x".repeat(2000)} `))] },
    observe: async (stage) => {
      const { client, cwd } = stage;
      const id = await client.open(cwd);
      const before = residentKb(client.program.pid);
      client.program.pause();
      void endOf(client.prompt(id, "[[go]]"), 60_000);
      await pause(12_000);
      const grownMb = (residentKb(client.program.pid) - before) / 1024;
      client.program.resume();
      return grownMb < 40 ? "grows by less than 40 MB" : "grows with the stream";
    },
  },
];

const shown: readonly Scenario[] = [
  {
    what: "a command is asked about: the model's reason",
    scripts: { go: [escalate("echo out", "To see PERSIMMON?"), say("Done.")] },
    home: asking,
    observe: async (stage) => {
      await play(stage, "[[go]]", openedAsking);
      const asked = stage.client.editor.asked.items.map(({ request }) => JSON.stringify(request)).join();
      return asked === "" ? "the user is not asked" : asked.includes("PERSIMMON") ? "shown" : "not shown";
    },
  },
  {
    what: "the model calls update_plan, and config.toml says nothing about it",
    scripts: { go: [call("update_plan", { plan: [{ step: "look", status: "in_progress" }] }), say("Done.")] },
    observe: async (stage) => {
      const { id } = await play(stage, "[[go]]");
      return stage.client.updatesOf(id).some((one) => one.sessionUpdate === "plan") ? "a plan" : "no plan";
    },
  },
  {
    what: "a patch of one file: its title, and its locations",
    scripts: {
      go: [
        patch("*** Begin Patch\n*** Update File: hello.txt\n@@\n-second line\n+2nd line\n*** End Patch"),
        say("Done."),
      ],
    },
    home: { config: writing },
    observe: async (stage) => {
      const { id } = await play(stage, "[[go]]");
      const one = stage.client.toolCalls(id).at(-1);
      const lines = (one?.locations ?? []).map(({ line }) => line ?? "no line");
      return `"${(one?.title ?? "no call").replaceAll(stage.cwd, "…")}", ${lines.length === 0 ? "no location" : `line ${lines.join()}`}`;
    },
  },
  {
    what: "a tool of an MCP server returns text: the content of its call",
    scripts: { go: [call("echo", { text: "PERSIMMON" }, "mcp__editor"), say("Done.")] },
    observe: async (stage) => {
      const { client, cwd } = stage;
      await client.initialize();
      const { sessionId } = await client.newSession(cwd, {
        mcpServers: [{ name: "editor", ...mcpCommand(), env: [] }],
      });
      // A turn does not wait for a server that starts.
      await pause(4000);
      await endOf(client.prompt(sessionId, "[[go]]"));
      const one = client.toolCalls(sessionId).at(-1);
      return JSON.stringify(one?.content ?? []).includes("PERSIMMON") ? "the text" : "not the text";
    },
  },
  {
    what: "a command prints at once and then works: its output in the client's terminal",
    scripts: { go: [run("echo first; sleep 1; echo second"), say("Done.")] },
    home: { config: writing },
    observe: async (stage) => {
      const { id } = await play(stage, "[[go]]");
      const output =
        JSON.stringify(stage.client.toolCalls(id).at(-1) ?? {}) + JSON.stringify(stage.client.updatesOf(id));
      return ["first", "second"]
        .map((one) => `${one} line ${new RegExp(`(data|text)":"[^"]*${one}`).test(output) ? "shown" : "lost"}`)
        .join(", ");
    },
  },
];

export const scenarios: readonly Scenario[] = [
  ...configuration,
  ...trust,
  ...turns,
  ...failures,
  ...processes,
  ...shown,
];
