/**
 * Defines `bowline sessions`: lists, searches, shows, exports and prunes saved sessions.
 */
import type { SessionInfo } from "../../acp/index.ts";
import { defaultRoute, routes } from "../../agent/index.ts";
import { readNumber, WrongUsage } from "../argv.ts";
import { command, CommandFailure } from "../command.ts";
import { oneLine, printJson, printLine, printText } from "../print.ts";
import { readRoute } from "../route-option.ts";
import { conversationEntries } from "../sessions/conversation-entries.ts";
import { exportConversation, exportFormats } from "../sessions/export-conversation.ts";
import { writePrivateFile } from "../write-file.ts";
import { savedSessions, type SavedConversations } from "../sessions/saved-sessions.ts";
import { patternOf, textSearch } from "../sessions/search-texts.ts";

const actions = ["list", "search", "show", "export", "prune"] as const;
type SessionsAction = (typeof actions)[number];
const dayMs = 86_400_000;

export const sessionsCommand = command({
  name: "sessions",
  summary: "list, search, show, export and prune saved sessions",
  operands: "[list | search <text> | show <id> | export <id> | prune]",
  operandCount: [0, 2],
  takesProgram: "optional",
  about: [
    "Works on the saved sessions of Claude Code or, with --route codex, of Codex. With an agent command after --, works on the sessions that this agent lists. search looks at titles, directories and ids, and at the text of the conversations of Claude Code and Codex. An id may be shortened.",
    "show prints a conversation, export writes it as Markdown, HTML or JSON. Both load the session as an editor does, which starts the engine but sends no prompt. prune names what it would delete; only --yes deletes.",
  ],
  options: {
    "--route": { value: "<engine>", about: "claude or codex", completes: routes },
    "--cwd": { value: "<directory>", about: "only sessions of this directory", completes: "directory" },
    "--format": { value: "<format>", about: "of export: md (default), html or json", completes: exportFormats },
    "--output": { short: "-o", value: "<file>", about: "where export writes (default: stdout)", completes: "file" },
    "--older-than": { value: "<days>", about: "prune: sessions that have not changed for this many days" },
    "--yes": { about: "prune: delete them" },
    "--json": { about: "print the list as JSON" },
  },
  environment: {
    BOWLINE_ROUTE: "the engine, if --route is not given",
    CLAUDE_CONFIG_DIR: "Claude's directory (default ~/.claude)",
    CODEX_HOME: "Codex's directory (default ~/.codex)",
  },
  examples: [
    { line: "bowline sessions search parser", about: "sessions with parser in their title, directory or text" },
    { line: "bowline sessions export 3f2a --format html -o talk.html", about: "one conversation as a page" },
    { line: "bowline sessions prune --older-than 90", about: "names what --yes would delete" },
    { line: "bowline sessions list -- claude-agent-acp", about: "the sessions of another agent" },
  ],
  completes: actions,
  seeAlso: ["chat", "docs/tools.md"],
  run: async ({ options, operands: [action = "list", operand], program }, { stdout, env }) => {
    const known = actions.find((one) => one === action);
    if (known === undefined) throw new WrongUsage(`sessions needs one of ${actions.join(", ")}`);
    const needsOperand = known === "search" || known === "show" || known === "export";
    if (needsOperand !== (operand !== undefined))
      throw new WrongUsage(
        needsOperand
          ? `sessions ${known} needs ${known === "search" ? "a text" : "the id of a session, or its beginning"}`
          : `sessions ${known} takes no operand`,
      );
    const format = exportFormats.find((one) => one === (options["--format"] ?? "md"));
    if (format === undefined) throw new WrongUsage(`--format must be one of ${exportFormats.join(", ")}`);
    const days = options["--older-than"];
    if (known === "prune" && days === undefined) throw new WrongUsage("sessions prune needs --older-than <days>");
    const oldest = Date.now() - readNumber("--older-than", days ?? "0", 0, 100_000, "days") * dayMs;
    const saved = await savedSessions(program, readRoute(options["--route"], env) ?? defaultRoute(env), env);
    try {
      return await run(known, await saved.list(options["--cwd"]), saved);
    } finally {
      await saved.close();
    }

    async function run(what: SessionsAction, all: readonly SessionInfo[], from: SavedConversations): Promise<number> {
      switch (what) {
        case "list":
          return print(all);
        case "search":
          return search(all, operand ?? "");
        case "show":
        case "export": {
          const session = byId(all, operand ?? "");
          const entries = conversationEntries(await from.load(session));
          const text = exportConversation(what === "show" ? "md" : (format ?? "md"), session, entries);
          const to = what === "show" ? undefined : options["--output"];
          if (to === undefined) printText(stdout, text);
          else writePrivateFile(to, text);
          return 0;
        }
        case "prune": {
          const old = all.filter(({ updatedAt }) => updatedAt && Date.parse(updatedAt) < oldest);
          for (const one of old) {
            if (options["--yes"]) await from.remove(one.sessionId);
            printLine(stdout, `${options["--yes"] ? "deleted" : "would delete"}  ${row(one)}`);
          }
          if (!options["--yes"]) printLine(stdout, `${old.length} of ${all.length} sessions; --yes deletes them`);
          return 0;
        }
      }
    }

    function search(all: readonly SessionInfo[], text: string): number {
      // The format of another agent's files is unknown: only titles are searched.
      const inText = program === undefined ? textSearch(env, text) : () => undefined;
      const found: object[] = [];
      for (const one of all) {
        const excerpt = isFound(one, text) ? undefined : inText(one.sessionId);
        if (excerpt === undefined && !isFound(one, text)) continue;
        found.push({ ...one, ...(excerpt !== undefined && { excerpt }) });
        if (options["--json"]) continue;
        printLine(stdout, row(one));
        if (excerpt !== undefined) printLine(stdout, `    ${excerpt}`);
      }
      if (options["--json"]) printJson(stdout, `${JSON.stringify(found, null, 2)}\n`);
      return 0;
    }

    function print(sessions: readonly SessionInfo[]): number {
      if (options["--json"]) printJson(stdout, `${JSON.stringify(sessions, null, 2)}\n`);
      else for (const one of sessions) printLine(stdout, row(one));
      return 0;
    }
  },
});

function row({ sessionId, updatedAt, cwd, title }: SessionInfo): string {
  return [sessionId, (updatedAt ?? "").slice(0, 16).padEnd(16), cwd, title ?? ""].map(oneLine).join("  ");
}

function isFound({ sessionId, cwd, title }: SessionInfo, text: string): boolean {
  return patternOf(text).test(`${sessionId}\n${cwd}\n${title ?? ""}`);
}

function byId(all: readonly SessionInfo[], id: string): SessionInfo {
  const found = all.filter(({ sessionId }) => sessionId.startsWith(id));
  const exact = found.find(({ sessionId }) => sessionId === id) ?? found[0];
  if (exact === undefined) throw new CommandFailure("there is no such session; bowline sessions list names them");
  if (found.length > 1 && exact.sessionId !== id)
    throw new CommandFailure(`${found.length} sessions begin with this id; give more of it`);
  return exact;
}
