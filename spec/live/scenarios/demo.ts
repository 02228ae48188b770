/**
 * The demo's recordings: one small repair with a plan, a diff and a command, and how it
 * goes on when the user rejects either.
 */
import { answering, call, say, think, type AnswerStep, type Block } from "../../support/live/model-script.ts";
import type { ControlAnswer } from "../../support/live/claude-host.ts";
import { textAt } from "../../support/json.ts";
import type { Workspace } from "../../support/live/workspace.ts";

export const demoPrompt = 'slug("Crème brûlée") gives "crme-brle". Mend it, please, and run the tests.';

/** Which of the two permission requests the user rejects. */
export type Refused = "Edit" | "Bash" | undefined;

/** The agent's wording. */
const rejected = { behavior: "deny", message: "The user rejected this tool call." };

export function demoAnswer(refused: Refused): ControlAnswer {
  return (request) =>
    textAt(request, "tool_name") === refused ? rejected : { behavior: "allow", updatedInput: request["input"] };
}

const before = `/** A title as it stands in a link. */
function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, "")
    .replace(/ +/g, "-");
}
`;

const old_string = `    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, "")
    .replace(/ +/g, "-");`;

const new_string = `    .normalize("NFD") // letters and accents apart
    .replace(/\\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");`;

const test = `import assert from "node:assert";
import { slug } from "../src/slug.js";

const tests = [
  ["joins words", "A good knot", "a-good-knot"],
  ["keeps the letter under an accent", "Crème brûlée", "creme-brulee"],
  ["leaves no hyphen at the ends", " Well, well! ", "well-well"],
];
for (const [name, title, expected] of tests) {
  assert.equal(slug(title), expected);
  console.log("ok", name);
}
console.log(tests.length, "tests, no failures");
`;

export function prepareDemo(place: Workspace): void {
  const manifest = { type: "module", scripts: { test: "node test/slug.test.js" } };
  place.write("package.json", `${JSON.stringify(manifest)}\n`);
  place.write("src/slug.js", before);
  place.write("test/slug.test.js", test);
}

/** The model's answers, one for each request. */
export function demoScript(place: Workspace, refused: Refused): readonly AnswerStep[] {
  const file_path = place.path("src/slug.js");
  const first = spoken(
    60,
    think(...pieces("An è is not a-z, so it goes as a whole. The accent has to come off its letter first.")),
    said("I'll read the function, mend it and run the tests."),
    plan("plan-1", 0),
    call("Read", { file_path }, { id: "toolu_read", pieces: 2 }),
  );
  const mend = spoken(
    60,
    said("There it is: everything outside `a-z` goes, **letters with accents too**."),
    plan("plan-2", 1),
    call("Edit", { file_path, old_string, new_string }, { id: "toolu_edit", pieces: 2 }),
  );
  if (refused === "Edit") return [first, mend, spoken(90, said(withoutEdit))];
  const command = { command: "npm test --silent", description: "Run the tests" };
  const check = spoken(40, plan("plan-3", 2), call("Bash", command, { id: "toolu_test", pieces: 2 }));
  if (refused === "Bash") return [first, mend, check, spoken(90, said(withoutTests))];
  return [first, mend, check, spoken(40, plan("plan-4", 3)), spoken(90, said(summary))];
}

const steps = [
  ["Read src/slug.js", "Reading"],
  ["Keep the letters under the accents", "Mending"],
  ["Run the tests", "Testing"],
] as const;

function plan(id: string, done: number): Block {
  const todos = steps.map(([content, activeForm], i) => ({
    content,
    status: i < done ? "completed" : i === done ? "in_progress" : "pending",
    activeForm,
  }));
  return call("TodoWrite", { todos }, { id: `toolu_${id}`, pieces: 1 });
}

const summary = `## Letters stay, accents go

\`slug()\` threw an **è** away whole. Now it

1. takes the accent off its letter with \`normalize("NFD")\`,
2. drops the accents and nothing else,
3. joins what is left with single hyphens.

\`\`\`js
slug("Crème brûlée"); // "creme-brulee"
\`\`\`

All **3 tests** pass.`;

const withoutEdit = `All right, \`src/slug.js\` stays as it is.

The change would take each accent off its letter with \`normalize("NFD")\` and drop **only the accent**. Say the word and I'll make it.`;

const withoutTests = `The change is in \`src/slug.js\`; the tests have **not been run**.

Run \`npm test\` when it suits you. I expect all 3 to pass.`;

function said(text: string): Block {
  return say(...pieces(text));
}

/** Splits text as a model streams it: a few letters at a time. */
function pieces(text: string): readonly string[] {
  return text.match(/\s*\S+(?:[^\S\n]+\S{1,10}(?=\s)){0,3}/g) ?? [];
}

/** Token counts as in a real conversation. */
function spoken(everyMs: number, ...blocks: readonly Block[]): AnswerStep {
  const usage = {
    input_tokens: 6,
    cache_creation_input_tokens: 412,
    cache_read_input_tokens: 17_300,
    output_tokens: 180,
  };
  return answering({ everyMs, usage }, ...blocks);
}
