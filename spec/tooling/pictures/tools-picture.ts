/**
 * Makes docs/testing.svg and docs/guard.svg: the output of play, expect and guard, as the built
 * program prints it.
 *
 * `node --import tsx spec/tooling/pictures/tools-picture.ts` runs the commands in a directory
 * of its own, with a scripted agent.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtProgram } from "../../support/built-program.ts";
import { ansiPicture } from "../../support/program/chat/ansi-picture.ts";

const columns = 100;
const place = mkdtempSync(join(tmpdir(), "bowline-picture-"));
const bold = (text: string): string => `\x1b[1m${text}\x1b[0m`;

writeFileSync(join(place, "bowline"), `#!/bin/sh\nexec "${process.execPath}" "${builtProgram}" "$@"\n`, {
  mode: 0o755,
});
write("wrong.json", { turns: [{ do: [{ say: "Hello" }, { asks: { title: "Edit" } }] }] });
write("agent.json", {
  name: "scripted agent",
  turns: [
    {
      do: [
        { tool: { title: "Read src/a.ts", kind: "read", path: "src/a.ts" } },
        ask("npm test", [{ tool: { title: "npm test", kind: "execute", status: "completed" } }]),
        ask("git push", []),
        { say: "The tests pass. I was not allowed to push." },
      ],
    },
  ],
});
write("expect.json", {
  tools: ["Read src/a.ts", "npm test"],
  noTools: ["git push"],
  maxPermissions: 1,
  stop: "end_turn",
});
writeFileSync(
  join(place, "policy.json"),
  `{
  "rules": [
    { "effect": "allow", "command": ["npm test", "git diff *"] },
    { "effect": "deny", "command": "git push *" }
  ]
}
`,
);
picture("testing", "play and expect", [
  "bowline play --check wrong.json",
  "bowline expect --expect expect.json --prompt 'run the tests' --allow -- bowline play agent.json",
]);
picture("guard", "bowline guard", [
  "cat policy.json",
  "echo 'run the tests' | bowline chat -q -- bowline guard --policy policy.json --log log.ndjson -- bowline play agent.json",
  "cut -d, -f2,3,8- log.ndjson",
]);
rmSync(place, { recursive: true });

function ask(command: string, allowed: readonly object[]): object {
  return { ask: { title: command, kind: "execute", input: { command }, on: { allow: allowed, reject: [] } } };
}

function write(name: string, value: object): void {
  writeFileSync(join(place, name), `${JSON.stringify(value, null, 2)}\n`);
}

function picture(name: string, title: string, lines: readonly string[]): void {
  const env = { PATH: [place, process.env["PATH"]].join(delimiter), HOME: place };
  const shown = lines.map((line) => {
    const { stdout } = spawnSync("sh", ["-c", `{ ${line}; } 2>&1`], { cwd: place, env, encoding: "utf8" });
    return `${bold(`$ ${line}`)}\n${stdout.replaceAll(place, "~").trimEnd()}\n`;
  });
  const text = shown.join("\n").split("\n").flatMap(wrapped).join("\n");
  const file = fileURLToPath(new URL(`../../../docs/${name}.svg`, import.meta.url));
  writeFileSync(file, ansiPicture(text, columns, title));
  process.stderr.write(`picture: ${file}\n${text}\n`);
}

/** Lines as a terminal of this width shows them. */
function wrapped(line: string): readonly string[] {
  const isBold = line.startsWith("\x1b");
  const plain = isBold ? line.slice(4, -4) : line;
  const parts = plain.match(new RegExp(`.{1,${columns - 2}}`, "gu")) ?? [""];
  return parts.map((part) => (isBold ? bold(part) : part));
}
