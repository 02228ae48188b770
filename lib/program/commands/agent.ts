/**
 * Defines `bowline agent`: serves the agent on stdin and stdout, as editors start it.
 */
import { routes, serveAgent } from "../../agent/index.ts";
import { describeBug } from "../../wire/index.ts";
import { command, type ProgramStreams } from "../command.ts";
import { readNumber, WrongUsage } from "../argv.ts";
import { continueVariables, isOn, readContinueSettings } from "../continue-settings.ts";
import { printLine } from "../print.ts";
import { reserveStdout } from "../protocol-stdout.ts";
import { readPrimary, readRoute } from "../route-option.ts";
import type { SharedSessions } from "../share/share-sessions.ts";

/** Three weeks; a Node timer cannot wait longer than 24 days. */
const maxIdleMinutes = 30_000;

export const agentCommand = command({
  name: "agent",
  summary: "serve Claude Code or Codex to an editor on stdin and stdout (the default)",
  operands: "[login]",
  operandCount: [0, 1],
  completes: ["login"],
  about: [
    "Speaks the Agent Client Protocol on stdin and stdout and drives the Claude Code or Codex CLI that is installed on this machine. Editors start it; to talk to Claude in a terminal use bowline chat.",
    "With the operand login it runs the sign-in instead: an editor that offers the sign-in in a terminal starts the same command with login added.",
  ],
  options: {
    "--route": {
      value: "<engine>",
      about: "claude, codex, or duet for both (default: claude, or codex if only Codex is installed)",
      completes: [...routes],
    },
    "--raw": { about: "send the whole input and the structured result of every tool call (rawInput, rawOutput)" },
    "--legacy": { about: "also speak the 2025 dialect of the protocol (models, current_model_update)" },
    "--edits-in-editor": { about: "read and write files through the editor, if the editor supports it" },
    "--device-code": { about: "with login: sign in to Codex with a code, on a machine without a browser" },
    "--commands-in-editor": { about: "run commands in the editor's terminals, if the editor supports it" },
    "--share": { about: "show the sessions also on the page of your bowline serve, where they can be answered" },
  },
  environment: {
    BOWLINE_ROUTE: "same as --route",
    BOWLINE_PRIMARY_AGENT: "claude or codex: who answers first in a duet (default claude)",
    BOWLINE_CLAUDE: "path of the Claude CLI (default: searched on PATH)",
    CODEX_EXECUTABLE: "path of the Codex CLI (default: searched on PATH)",
    BOWLINE_NODE: "path of the Node that the launcher of a release uses (default: searched)",
    BOWLINE_AUTO_RESUME: "1: the first session in a directory continues the last conversation there",
    ...continueVariables,
    BOWLINE_SHELL_ENV:
      "1: read missing variables and PATH entries from your login shell, for editors started from the desktop",
    BOWLINE_PREWARM: "0: do not start a CLI ahead of the next session",
    BOWLINE_EDITS: "1: same as --edits-in-editor",
    BOWLINE_COMMANDS: "1: same as --commands-in-editor",
    BOWLINE_SHARE: "1: same as --share",
    BOWLINE_REJECT_REASONS: "1, or reasons separated by semicolons: offered as options when a call is rejected",
    BOWLINE_RECORD: "directory, or file *.ndjson, where all traffic is recorded, see bowline record",
    BOWLINE_RECORD_SECRETS: "1: do not remove secrets from recordings",
    BOWLINE_IDLE_MINUTES: "minutes without a prompt after which a session stops its CLI (default 30; 0: never)",
  },
  exitCodes: {
    0: "the editor closed the connection; no process is left running",
    129: "ended by SIGHUP; 130 by SIGINT, 143 by SIGTERM",
  },
  examples: [
    { line: "bowline", about: "what an editor starts; bowline zed prints the entry for Zed's settings" },
    { line: "bowline agent --edits-in-editor", about: "the editor shows each edit for review" },
    { line: "bowline agent --share", about: "then a running bowline serve shows the editor's sessions too" },
  ],
  seeAlso: ["chat", "login", "record", "serve", "zed", "doctor"],
  run: async ({ options, operands }, terminal) => {
    const [word] = operands;
    if (word !== undefined && word !== "login") throw new WrongUsage(`unknown word ${JSON.stringify(word)}`);
    if (word === "login") {
      const { loginCommand } = await import("../index.ts");
      const { "--route": route, "--device-code": isDeviceCode } = options;
      const words = [...(route === undefined ? [] : [`--route=${route}`]), ...(isDeviceCode ? ["--device-code"] : [])];
      return loginCommand.run(words, terminal);
    }
    reserveStdout();
    const {
      BANJO_AUTO_RESUME,
      BOWLINE_AUTO_RESUME,
      BOWLINE_PREWARM,
      BOWLINE_EDITS,
      BOWLINE_COMMANDS,
      BOWLINE_IDLE_MINUTES,
    } = terminal.env;
    const recorded = terminal.env["BOWLINE_RECORD"] ? (await import("../index.ts")).recordedAgent(terminal) : {};
    const idle = BOWLINE_IDLE_MINUTES || undefined;
    const idleMinutes =
      idle === undefined ? undefined : readNumber("BOWLINE_IDLE_MINUTES", idle, 0, maxIdleMinutes, "minutes");
    const shared = options["--share"] || isOn(terminal.env["BOWLINE_SHARE"] ?? "0") ? await share(terminal) : undefined;
    const code = await serveAgent({
      route: readRoute(options["--route"], terminal.env),
      primary: readPrimary(terminal.env),
      isLegacy: options["--legacy"],
      sendsRaw: options["--raw"],
      settings: {
        autoResume: isOn(BOWLINE_AUTO_RESUME ?? BANJO_AUTO_RESUME ?? "0"),
        ...readContinueSettings(terminal.env),
        edits: options["--edits-in-editor"] || isOn(BOWLINE_EDITS ?? "0"),
        commands: options["--commands-in-editor"] || isOn(BOWLINE_COMMANDS ?? "0"),
        rejectReasons: readReasons(terminal.env["BOWLINE_REJECT_REASONS"] ?? "0"),
      },
      environment: isOn(terminal.env["BOWLINE_SHELL_ENV"] ?? "0")
        ? async () => (await import("../../process/index.ts")).shellEnvironment(terminal.env)
        : undefined,
      prewarms: isOn(BOWLINE_PREWARM ?? "1"),
      idleTimeoutMs: idleMinutes === undefined ? undefined : idleMinutes * 60_000,
      describeSetup: async () => (await import("../index.ts")).describeSetup(terminal.env),
      ...recorded,
      ...(shared !== undefined && { link: shared.link, until: shared.editorGone }),
    });
    await shared?.close();
    return code;
  },
});

/** Lets the user's servers see the sessions. */
async function share({ env, stderr }: ProgramStreams): Promise<SharedSessions> {
  const { shareSessions } = await import("../index.ts");
  const say = (sentence: string): void => void printLine(stderr, `bowline: ${sentence}`);
  return shareSessions({ env, onNotice: say, onBug: (doing, cause) => say(`${doing}: ${describeBug(cause)}`) });
}

const usualReasons = ["do it in another way", "not this file or command", "ask me before you go on"];
const maxReasons = 8;

function readReasons(value: string): readonly string[] {
  if (!isOn(value)) return [];
  const given = value.split(";").map((reason) => reason.trim());
  return value === "1" ? usualReasons : given.filter((reason) => reason !== "").slice(0, maxReasons);
}
