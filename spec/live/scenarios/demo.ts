/**
 * The demo's recordings: one small repair with a plan, a diff and a command, and how it
 * goes on when the user rejects either.
 */
import { answering, call, say, think, type AnswerStep, type Block } from "../../support/live/api/model-script.ts";
import type { ControlAnswer } from "../../support/live/claude-host.ts";
import { textAt } from "../../support/json.ts";
import type { Workspace } from "../../support/live/workspace.ts";

export const demoPrompt = 'slug("Crème brûlée") gives "crme-brle". Please fix it and run the tests.';

/** Which of the two permission requests the user rejects. */
export type Refused = "Edit" | "Bash" | undefined;

/** The agent's wording. */
const rejected = { behavior: "deny", message: "The user rejected this tool call." };

export function demoAnswer(refused: Refused): ControlAnswer {
  return (request) =>
    textAt(request, "tool_name") === refused ? rejected : { behavior: "allow", updatedInput: request["input"] };
}

const before = `/** Turns a title into a part of a URL. */
export function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, "")
    .replace(/ +/g, "-");
}
`;

const old_string = `    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, "")
    .replace(/ +/g, "-");`;

const new_string = `    .normalize("NFD") // separate accents from letters
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
    think(...pieces("An è is not in a-z, so it is removed. Its accent must be separated from the letter first.")),
    said("I'll read the function, fix it and run the tests."),
    plan("plan-1", 0),
    call("Read", { file_path }, { id: "toolu_read", pieces: 2 }),
  );
  const repair = spoken(
    60,
    said("Found it: everything outside `a-z` is removed, **even letters with accents**."),
    plan("plan-2", 1),
    call("Edit", { file_path, old_string, new_string }, { id: "toolu_edit", pieces: 2 }),
  );
  if (refused === "Edit") return [first, repair, spoken(90, said(withoutEdit))];
  const command = { command: "npm test --silent", description: "Run the tests" };
  const check = spoken(40, plan("plan-3", 2), call("Bash", command, { id: "toolu_test", pieces: 2 }));
  if (refused === "Bash") return [first, repair, check, spoken(90, said(withoutTests))];
  return [first, repair, check, spoken(40, plan("plan-4", 3)), spoken(90, said(summary))];
}

const steps = [
  ["Read src/slug.js", "Reading"],
  ["Keep letters that have accents", "Fixing"],
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

const summary = `## Fixed: letters with accents are kept

\`slug()\` removed an **è** completely. Now it

1. separates accents from letters with \`normalize("NFD")\`,
2. removes only the accents,
3. joins the words with single hyphens.

\`\`\`js
slug("Crème brûlée"); // "creme-brulee"
\`\`\`

All **3 tests** pass.`;

const withoutEdit = `I have not changed \`src/slug.js\`.

The change would separate accents with \`normalize("NFD")\` and remove **only those**. Tell me if you want it.`;

const withoutTests = `The change is in \`src/slug.js\`; the tests have **not been run**.

To run them: \`npm test\`. I expect all 3 to pass.`;

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
