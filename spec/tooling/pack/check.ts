/**
 * Checks the npm tarball as a user gets it.
 *
 * It contains only what a user needs, imports from a scratch project as ESM, and its
 * types compile on the oldest and the newest supported TypeScript. Every declaration in
 * it can be reached from an entry point.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const typescripts = ["5.4.5", "7.0.2"];
const wanted =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/(?:lib\/.+\.js|bowline\.mjs(?:\.map)?|types\/lib\/.+\.d\.ts))$/;

const source = `import { agent, type AgentHandlers, block, client, memoryPair, type SessionUpdate, update } from "bowline";

const [agentEnd, clientEnd] = memoryPair();
agent(agentEnd, {
  info: { name: "echo", version: "1.0.0" },
  handlers: (editor): AgentHandlers => ({
    "session/new": () => ({ sessionId: "s" }),
    "session/prompt": async ({ sessionId, prompt }) => {
      for (const part of prompt) await editor.update(sessionId, update.agentMessage(part));
      return { stopReason: "end_turn" };
    },
  }),
});
const seen: SessionUpdate[] = [];
const connection = await client(clientEnd, {
  info: { name: "test", version: "1.0.0" },
  handlers: () => ({
    "session/update": (notification) => void seen.push(notification.update),
    "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
  }),
});
const { sessionId } = await connection.call("session/new", { cwd: "/", mcpServers: [] });
const { stopReason } = await connection.prompt({ sessionId, prompt: [block.text("hello")] });
if (stopReason !== "end_turn" || seen.length !== 1) throw new Error("the packed library does not work");
connection.close();
`;

/** Every subpath, and one class that two of them share. */
const subpathSource = `import { AgentConnection, memoryPair } from "bowline";
import { createAgent } from "bowline/agent";
import { bridgeClient, type BridgeClient } from "bowline/bridge";
import { fold, listTranscripts, type TranscriptOptions } from "bowline/claude";
import { type Packet, PacketStream } from "bowline/packets";
import { readTape, type Tape } from "bowline/tape";

const [near] = memoryPair();
const { connection, stop } = createAgent(near, { prewarms: false });
if (!(connection instanceof AgentConnection)) throw new Error("bowline and bowline/agent have two AgentConnections");
await stop("done");
const used: readonly unknown[] = [bridgeClient, fold, listTranscripts, PacketStream, readTape];
const types: [BridgeClient, TranscriptOptions, Packet, Tape][] = [];
if (used.includes(undefined) || types.length > 0) throw new Error("a subpath lacks an export");
process.exit(0);
`;

const scratch = mkdtempSync(join(tmpdir(), "bowline-pack-"));
try {
  const [packed] = JSON.parse(
    run(process.cwd(), "npm", "pack", "--json", "--ignore-scripts", `--pack-destination=${scratch}`),
  );
  const paths: string[] = packed.files.map(({ path }: { path: string }) => path);
  assert.deepEqual(
    paths.filter((path) => !wanted.test(path)),
    [],
    "the tarball holds only what a user needs",
  );
  for (const path of [
    "dist/lib/index.js",
    "dist/bowline.mjs",
    "dist/bowline.mjs.map",
    "dist/types/lib/index.d.ts",
    "LICENSE",
    "README.md",
  ]) {
    assert.ok(paths.includes(path), `the tarball holds ${path}`);
  }
  writeFileSync(join(scratch, "package.json"), JSON.stringify({ type: "module", private: true }));
  run(
    scratch,
    "npm",
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    join(scratch, packed.filename),
    "@types/node@20.19.43",
  );
  writeFileSync(join(scratch, "use.ts"), source);
  writeFileSync(join(scratch, "use-subpaths.ts"), subpathSource);
  for (const version of typescripts) {
    run(scratch, "npm", "install", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", `typescript@${version}`);
    // Without skipLibCheck, so that our own declarations are checked too.
    const flags = ["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "node"];
    const tsc = ["node_modules/typescript/bin/tsc", ...flags, "use.ts", "use-subpaths.ts"];
    run(scratch, process.execPath, ...tsc);
    run(scratch, process.execPath, "use.js");
    run(scratch, process.execPath, "use-subpaths.js");
    const listed = run(scratch, process.execPath, ...tsc, "--listFilesOnly");
    assert.deepEqual(
      paths.filter((path) => path.endsWith(".d.ts") && !listed.includes(`node_modules/bowline/${path}`)),
      [],
      "every declaration can be reached from an entry point",
    );
    process.stdout.write(`pack: compiles and runs with TypeScript ${version}\n`);
  }
  const version = run(scratch, process.execPath, "node_modules/bowline/dist/bowline.mjs", "--version").trim();
  assert.equal(version, packed.version, "the program says its version");
  process.stdout.write(`pack: ${paths.length} files, ${packed.size} bytes packed, ${packed.unpackedSize} unpacked\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function run(cwd: string, command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (cause) {
    const output = typeof cause === "object" && cause !== null && "stdout" in cause ? String(cause.stdout) : "";
    throw new Error(`${command} ${args[0] ?? ""} failed: ${output.slice(0, 4000)}`, { cause });
  }
}
