/**
 * A scripted turn with everything that a page can show.
 */
import { block, location, planEntry, toolContent, update } from "../../../lib/acp/index.ts";
import type { TurnScript } from "./scripted-agent.ts";

const oldSource = `import { createServer } from "node:http";

const port = 8080;

/** Says hello. */
createServer((request, response) => {
  response.end("hello " + request.url);
}).listen(port);
`;
const newSource = oldSource
  .replace("const port = 8080;", 'const port = Number(process.env["PORT"] ?? 8080);')
  .replace(
    'response.end("hello " + request.url);',
    'response.setHeader("content-type", "text/plain");\n  response.end(`hello ${request.url}\\n`);',
  );

const words = `The server now takes its port from the environment. What changed:

- **The port** comes from \`PORT\`, and is \`8080\` when there is none
- Answers say that they are *plain text*
  - so browsers do not guess
- See [the documentation](https://nodejs.org/api/http.html) for the rest

\`\`\`sh
PORT=3000 node server.js
curl localhost:3000/world
\`\`\`

| before | after |
|---|---|
| port fixed | port from \`PORT\` |
| type guessed | \`text/plain\` |

1. Run the tests
2. Restart the server
`;

/** Titles and texts that would be markup if anything read them so. */
export const hostile = `<img src=x onerror="document.title='broken in'"> [click](javascript:alert(1)) <script>document.title='broken in'</script>`;

export const showcase: TurnScript = async ({ show, ask }) => {
  const cwd = process.cwd();
  await show(
    update.agentThought("The port is a constant. It should come from the environment, with the old one as a fallback."),
  );
  for (const part of ["I will look at ", "the server **first**.\n"]) await show(update.agentMessage(part));
  const entries = ["Read the server", "Take the port from the environment", "Run the tests"];
  await show(update.plan(entries.map((one, i) => planEntry(one, i === 0 ? "in_progress" : "pending"))));
  await show(
    update.toolCall({
      toolCallId: "read-1",
      title: "Read server.js",
      name: "Read",
      kind: "read",
      status: "in_progress",
      rawInput: { file_path: `${cwd}/server.js` },
      locations: [location(`${cwd}/server.js`)],
    }),
  );
  await show(
    update.toolCallUpdate({
      toolCallId: "read-1",
      status: "completed",
      content: [toolContent.block(`\`\`\`\n${oldSource}\`\`\``)],
    }),
  );
  await show(
    update.plan(entries.map((one, i) => planEntry(one, i === 0 ? "completed" : i === 1 ? "in_progress" : "pending"))),
  );
  const edit = {
    toolCallId: "edit-1",
    title: "Edit server.js",
    name: "Edit",
    kind: "edit",
    content: [toolContent.diff(`${cwd}/server.js`, oldSource, newSource)],
    locations: [location(`${cwd}/server.js`, 1)],
  } as const;
  await show(update.toolCall({ ...edit, status: "pending" }));
  const answer = await ask(edit, [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "always", name: "Always allow all edits in this session", kind: "allow_always" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ]);
  await show(update.toolCallUpdate({ toolCallId: "edit-1", status: answer === "no" ? "failed" : "completed" }));
  if (answer === "no") {
    await show(update.agentMessage("Left as it was.\n"));
    return;
  }
  for (const [id, command, out, exit] of [
    [
      "bash-1",
      "npm test -- --grep port",
      "\n> test\n> node --test\n\nok 1 - takes the port from the environment\nok 2 - falls back to 8080\n# pass 2\n",
      0,
    ],
    ["bash-2", "npm run lint", "server.js\n  4:7  error  'port' is never reassigned  prefer-const\n\n1 problem\n", 1],
  ] as const) {
    const rawInput = { command, description: "Checks the change" };
    const info = { terminal_info: { terminal_id: id, cwd } };
    await show(
      update.toolCall({
        toolCallId: id,
        title: command,
        name: "Bash",
        kind: "execute",
        status: "in_progress",
        rawInput,
        content: [toolContent.terminal(id)],
        _meta: info,
      }),
    );
    await show(
      update.toolCallUpdate({
        toolCallId: id,
        status: exit === 0 ? "completed" : "failed",
        _meta: {
          terminal_output: { terminal_id: id, data: out },
          terminal_exit: { terminal_id: id, exit_code: exit, signal: null },
        },
      }),
    );
  }
  const page = "<!doctype html>\n<title>Hello</title>\n<h1>Hello</h1>\n";
  const write = {
    toolCallId: "write-1",
    title: "Write index.html",
    name: "Write",
    kind: "edit",
    content: [toolContent.diff(`${cwd}/public/index.html`, null, page)],
    locations: [location(`${cwd}/public/index.html`)],
  } as const;
  await show(update.toolCall({ ...write, status: "in_progress" }));
  await show(update.toolCallUpdate({ toolCallId: "write-1", status: "completed", content: write.content }));
  await show(
    update.toolCall({
      toolCallId: "evil-1",
      title: hostile,
      name: "Fetch",
      kind: "other",
      status: "in_progress",
      rawInput: {},
    }),
  );
  await show(
    update.toolCallUpdate({
      toolCallId: "evil-1",
      status: "completed",
      content: [toolContent.block(block.text(hostile))],
    }),
  );
  await show(update.plan(entries.map((one) => planEntry(one, "completed"))));
  for (let i = 0; i < words.length; i += 7) await show(update.agentMessage(words.slice(i, i + 7)));
};
