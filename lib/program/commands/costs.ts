/**
 * Defines `bowline costs`: what sessions used and cost, from saved conversations or tapes.
 */
import { projectsDirectory } from "../../claude/index.ts";
import { codexHome } from "../../codex/index.ts";
import { readNumber, WrongUsage } from "../argv.ts";
import { command, type ProgramStreams } from "../command.ts";
import { claudeFiles, ClaudeSpending } from "../costs/claude-spending.ts";
import { codexFiles, CodexSpending } from "../costs/codex-spending.ts";
import { costPage, costTable } from "../costs/cost-report.ts";
import { dayOf } from "../costs/json-lines.ts";
import { priced, pricesFile } from "../costs/prices.ts";
import { type Grouping, groupings, type Spending, sumBy, sumOf } from "../costs/spending.ts";
import { tapeSpending } from "../costs/tape-spending.ts";
import { readJsonFile } from "../json-file/read-json-file.ts";
import { printJson, printProgress, printText } from "../print.ts";
import { writePrivateFile } from "../write-file.ts";
import { readTapeFile } from "../tapes/load-tape.ts";

const dayMs = 86_400_000;
const maxTapes = 10_000;

export const costsCommand = command({
  name: "costs",
  summary: "what sessions used and cost, by day, project, engine or model",
  operands: "[<tape>...]",
  operandCount: [0, maxTapes],
  about: [
    "Reads the saved conversations of Claude Code and Codex on this machine, or the tapes given, and sums up their tokens and costs. Nothing is started and nothing leaves the machine.",
    "Costs are the ones the Claude CLI calculated. Codex saves tokens only; --prices adds prices of your own for what has no cost.",
  ],
  options: {
    "--by": {
      value: "<list>",
      about: "what to sum by, separated by commas: day (default), project, engine, model, session",
      completes: groupings,
    },
    "--days": { value: "<n>", about: "only the last n days, today included" },
    "--prices": {
      value: "<file>",
      about: "prices as JSON: US dollars for a million tokens, by model",
      completes: "file",
    },
    "--json": { about: "print the sums as JSON" },
    "--page": { value: "<file>", about: "write the sums as a web page", completes: "file" },
  },
  environment: {
    CLAUDE_CONFIG_DIR: "Claude's directory (default ~/.claude)",
    CODEX_HOME: "Codex's directory (default ~/.codex)",
  },
  examples: [
    { line: "bowline costs --days 7", about: "the last week, day by day" },
    { line: "bowline costs --by project,model", about: "which project used which model" },
    { line: "bowline costs tape.ndjson --json", about: "what a recorded run used" },
  ],
  completes: "file",
  seeAlso: ["sessions", "expect", "docs/tools.md"],
  run: async ({ options, operands }, terminal) => {
    const { stdout } = terminal;
    const by = readGroupings(options["--by"] ?? "day");
    const days = options["--days"];
    const oldest =
      days === undefined ? "" : dayOf(Date.now() - (readNumber("--days", days, 1, 100_000, "days") - 1) * dayMs);
    const prices = options["--prices"] === undefined ? {} : readJsonFile(options["--prices"], pricesFile);
    const all = operands.length > 0 ? await ofTapes(operands) : ofSavedConversations(terminal);
    const spendings = all.filter(({ day }) => day >= oldest).map((one) => priced(one, prices));
    const [sums, total] = [sumBy(spendings, by), sumOf([], spendings)];
    const page = options["--page"];
    if (page !== undefined) writePrivateFile(page, costPage(by, sums, total));
    if (options["--json"]) printJson(stdout, `${JSON.stringify({ by, sums, total }, null, 2)}\n`);
    else if (page === undefined)
      printText(stdout, spendings.length === 0 ? "No session used anything.\n" : costTable(by, sums, total));
    return 0;
  },
});

function readGroupings(words: string): readonly Grouping[] {
  return words.split(",").map((word) => {
    const known = groupings.find((one) => one === word.trim());
    if (known === undefined) throw new WrongUsage(`--by must be one or more of ${groupings.join(", ")}`);
    return known;
  });
}

async function ofTapes(paths: readonly string[]): Promise<readonly Spending[]> {
  const spendings: Spending[] = [];
  for (const path of paths) for (const one of tapeSpending((await readTapeFile(path)).rows)) spendings.push(one);
  return spendings;
}

function ofSavedConversations({ env, stderr }: ProgramStreams): readonly Spending[] {
  const [claude, codex] = [new ClaudeSpending(), new CodexSpending()];
  const files = [
    ...claudeFiles(projectsDirectory(env)).map((path) => ({ path, reader: claude })),
    ...codexFiles(codexHome(env)).map((path) => ({ path, reader: codex })),
  ];
  const shows = stderr.isTTY === true;
  const spendings = files.flatMap(({ path, reader }, i) => {
    if (shows && i % 20 === 0) printProgress(stderr, `reading ${i} of ${files.length} conversations`);
    return reader.read(path);
  });
  if (shows) printProgress(stderr, "");
  return spendings;
}
