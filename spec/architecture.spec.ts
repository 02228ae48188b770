/**
 * Checks the architecture: imports between modules go one way, every file has a header
 * and at most 400 lines, a folder has few files, a spec has the name of its file, there
 * are no dependencies, and only the command-line program uses the console.
 */
import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { filesBelow, readText } from "./support/files.ts";
import { allowedImports, importedModule, importsOf, type Source, sourcesNamed } from "./support/modules.ts";
import { specsOfSeveralFiles } from "./support/specs-of-several-files.ts";

/** Modules that write to a terminal. */
const mayUseConsole = new Set(["program", "bin"]);
/** Files outside serve that listen, on a socket that only the user can open. */
const privateSockets = new Set(["lib/editor-tools/commands/command-relay.ts", "lib/program/share/share-sessions.ts"]);

const maxLines = 400;
const maxHeaderLines = 8;
const maxFolderFiles = 22;
/** Folders with more files, and why they have no folders below them. */
const longFolders: Readonly<Record<string, string>> = {
  "lib/program/commands": "one file for each command, named after the command",
};
/** Folders whose specs are about several modules, or about no file of lib. */
const unmirrored = /^spec\/(?:[^/]+$|(?:interop|replay|faults|fuzz|live|tooling|windows|support)\/)/;

const sources = sourcesNamed(".ts");
/** The sources for browsers too. */
const allSources: readonly Source[] = [...sources, ...sourcesNamed(".js")];

describe("the modules", () => {
  it("the sources are found, each in a module of the map", () => {
    assert.ok(sources.length > 40);
    for (const { path, module } of sources) {
      assert.ok(
        module === "bin" || module === "index" || module in allowedImports,
        `${path} is in a module on the map`,
      );
    }
  });

  it("a module imports only the modules that the map allows, by their entry points", () => {
    for (const { path, module, text } of sources) {
      if (module === "bin" || module === "index") continue;
      for (const target of importsOf(text)) {
        if (!target.startsWith(".")) {
          assert.match(target, /^node:/, `${path} imports ${target}, which is not part of Node`);
          continue;
        }
        const other = importedModule(path, target);
        const isOpen = other === module || (allowedImports[module] ?? []).includes(other);
        assert.ok(isOpen, `${path} imports ${target} from a module that the map does not allow`);
        if (other !== module && other !== "version") {
          assert.match(target, /\/index\.ts$/, `${path} enters ${other} by its index.ts`);
        }
      }
    }
  });

  it("the agent knows an engine only by the engine interface, except where everything is put together", () => {
    const mayKnowEngines = new Set(["lib/agent/create-agent.ts", "lib/agent/recorded-launcher.ts"]);
    for (const { path, module, text } of sources) {
      if (module !== "agent" || mayKnowEngines.has(path)) continue;
      for (const target of importsOf(text)) {
        const isEngine = target.startsWith(".") && ["claude", "codex"].includes(importedModule(path, target));
        assert.ok(!isEngine || target.endsWith("/setup/index.ts"), `${path} imports ${target}`);
      }
    }
  });

  it("the agent, its engines, and a CLI with its connection are created in one place each", () => {
    const places: Readonly<Record<string, readonly string[]>> = {
      "serveEngine(": ["lib/agent/create-agent.ts"],
      "claudeEngine(": ["lib/agent/create-agent.ts"],
      "codexEngine(": ["lib/agent/create-agent.ts"],
      "routedEngine(": ["lib/agent/create-agent.ts"],
      "new ClaudeProcess(": ["lib/claude/engine/run/launcher.ts"],
      "new ClaudeRun(": ["lib/claude/engine/run/claude-supervisor.ts"],
      // The agent and the bridge share the supervisor.
      "new ClaudeSupervisor(": ["lib/bridge/session.ts", "lib/claude/engine/claude-conversation.ts"],
      // A CLI that is started to answer one question has no session and no supervisor.
      "new ClaudeConnection(": ["lib/claude/engine/run/claude-run.ts", "lib/claude/engine/usage-report.ts"],
      // The early answer, and the agent's own.
      "initializeResponse(": ["lib/acp/agent.ts", "lib/agent/serve-stdio.ts"],
    };
    for (const [call, expected] of Object.entries(places)) {
      const callers = sources.filter(({ text, module }) => {
        // `bowline check` has a method of this name, for the response of another agent.
        const isOther = module === "program" && call === "initializeResponse(";
        return !isOther && withoutComments(text).replaceAll(`function ${call}`, "").includes(call);
      });
      assert.deepEqual(
        callers.map(({ path }) => path),
        expected,
        call,
      );
    }
  });

  it("an option of the agent is declared once", () => {
    const [, resolved = ""] =
      /interface ResolvedOptions \{\n([^]*?)\n\}/.exec(readText("lib/agent/agent-context.ts")) ?? [];
    const names = [...resolved.matchAll(/^  readonly (\w+)/gm)].map(([, name]) => name);
    assert.ok(names.length > 10);
    for (const path of ["lib/agent/create-agent.ts", "lib/agent/serve-stdio.ts", "lib/agent/agent.ts"]) {
      for (const name of names) assert.doesNotMatch(readText(path), new RegExp(`^  readonly ${name}\\??:`, "m"), path);
    }
  });

  it("the specs of the agent run on the scripted engine, which has fewer than 150 lines", () => {
    const specs = filesBelow(["spec/agent"], ".ts");
    assert.ok(specs.length > 10);
    for (const path of specs) {
      for (const target of importsOf(readText(path)))
        assert.doesNotMatch(target, /claude|fake-cli|agent-harness|memory-store/, path);
    }
    assert.ok(readText("spec/support/agent/scripted-engine.ts").split("\n").length - 1 < 150);
  });

  it("the title of a test begins with its subject, so that it can be understood in a list of failures", () => {
    const noSubject = /^(?:it|its|they|this|that|of|whose|which|has|is|are|does|should|from|anywhere)\b/;
    // Verbs with which titles have begun whose subject was only in the title of the group.
    const verb =
      /^(?:accepts|answers (?!are)|begins|closes|compares|counts|cuts|declines|echoes|ends|escapes|finds|follows|forwards|gives|goes|holds|ignores|issues|joins|leaves|lists (?!of)|looks|loses|makes|names (?:only|the|every)|never|opens|prints|protects|reads|refuses|reports|returns|says|selects|sends|serves|shows|splits|stays|takes|tells|traces|tries|warns)\b/;
    const specs = [...filesBelow(["spec"], ".spec.ts"), ...filesBelow(["spec"], ".live.ts")];
    assert.ok(specs.length > 300);
    for (const path of specs) {
      for (const [, , title = ""] of readText(path).matchAll(/\bit\(\s*(["`])((?:\\.|(?!\1)[^])*?)\1/g)) {
        assert.doesNotMatch(title, noSubject, path);
        assert.doesNotMatch(title, verb, path);
      }
    }
  });

  it("lib/claude/translate has no client, no clock, no process and no file", () => {
    for (const { path, text } of sources) {
      if (!path.startsWith("lib/claude/translate/")) continue;
      for (const target of importsOf(text)) {
        assert.doesNotMatch(target, /^node:|\/(?:wire|process|rpc)\/index\.ts$/, `${path} imports ${target}`);
      }
    }
  });

  it("engines do not know each other", () => {
    const engines = ["claude", "codex"];
    for (const { path, module, text } of sources) {
      if (!engines.includes(module)) continue;
      for (const target of importsOf(text)) {
        const other = target.startsWith(".") ? importedModule(path, target) : module;
        assert.ok(other === module || !engines.includes(other), `${path} imports ${target}`);
      }
    }
  });

  it(`every file begins with a header of at most ${maxHeaderLines} lines`, () => {
    for (const { path, text } of allSources) {
      const header = /^(?:#!.*\n)?\/\*\*\n(?: \*.*\n)+? \*\/\n/.exec(text)?.[0];
      assert.ok(header, `${path} has a header`);
      const lines = header.split("\n").filter((line) => line.startsWith(" * ") || line === " *").length;
      assert.ok(lines <= maxHeaderLines, `${path} says it in ${maxHeaderLines} lines`);
    }
  });

  it("every file of spec begins with a header", () => {
    for (const path of filesBelow(["spec"], ".ts"))
      assert.match(readText(path), /^(?:#!.*\n)?\/\*\*\n \* /, `${path} has a header`);
  });

  it(`every file has at most ${maxLines} lines`, () => {
    for (const { path, text } of allSources) {
      assert.ok(text.split("\n").length - 1 <= maxLines, `${path} is longer than ${maxLines} lines`);
    }
  });

  it(`a folder has at most ${maxFolderFiles} files, or a reason to have more`, () => {
    const folders = new Map<string, number>();
    for (const path of filesBelow(["lib", "spec", "bin"], "")) {
      if (!/\.\w+$/.test(path)) continue;
      const folder = posix.dirname(path);
      folders.set(folder, (folders.get(folder) ?? 0) + 1);
    }
    assert.ok(folders.size > 80);
    const long = [...folders].filter(([, count]) => count > maxFolderFiles).map(([folder]) => folder);
    assert.deepEqual(
      long.filter((folder) => !(folder in longFolders)),
      [],
    );
  });

  it("a spec has the name of the file it tests, or is named as a spec of several files", () => {
    const files = new Set(filesBelow(["lib", "bin"], "s").map((path) => path.replace(/\.[jt]s$/, "")));
    const specs = filesBelow(["spec"], ".spec.ts").filter((path) => !unmirrored.test(path));
    assert.ok(specs.length > 200);
    const unnamed = specs.filter((path) => !isNamedAfterFile(path, files));
    assert.deepEqual(unnamed, Object.keys(specsOfSeveralFiles).toSorted());
  });

  it("a type name is declared in one file only, so that one name means one thing", () => {
    const declaredIn = new Map<string, string>();
    for (const { path, text } of sources) {
      const names = new Set(
        [...text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(([, name]) => name ?? ""),
      );
      for (const name of names) {
        assert.equal(declaredIn.get(name), undefined, `${name} is declared in ${path} too`);
        declaredIn.set(name, path);
      }
    }
    assert.ok(declaredIn.size > 1000);
  });

  it("only the command-line program uses the console", () => {
    for (const { path, module, text } of sources) {
      if (mayUseConsole.has(module)) continue;
      assert.doesNotMatch(withoutComments(text), /(?<!")\bconsole\b/, `${path} uses the console`);
    }
  });

  it("only serve and the private sockets of the command relay and of shared sessions listen for connections", () => {
    const listening = sources.filter(({ text }) => /\bcreateServer\b|\.listen\(/.test(withoutComments(text)));
    assert.ok(listening.length > 0);
    for (const { path, module } of listening) {
      assert.ok(module === "serve" || privateSockets.has(path), path);
    }
  });

  it("the sources have no casts to any and no suppressed errors", () => {
    for (const { path, text } of sources) {
      assert.doesNotMatch(text, /\bas any\b|@ts-ignore|@ts-nocheck|@ts-expect-error/, path);
    }
  });

  it("the package has no dependencies and pins its development packages", () => {
    const manifest = JSON.parse(readText("package.json"));
    assert.ok(!("dependencies" in manifest), "package.json has no dependencies key");
    for (const [name, version] of Object.entries(manifest.devDependencies)) {
      assert.match(String(version), /^\d+\.\d+\.\d+$/, `${name} has an exact version`);
    }
  });

  it("the version is the same in package.json, lib/version.ts and CHANGELOG.md", () => {
    const { version } = JSON.parse(readText("package.json"));
    assert.match(readText("lib/version.ts"), new RegExp(`version = "${version}"`));
    assert.match(readText("CHANGELOG.md"), new RegExp(`^## ${version}\\b`, "m"));
  });
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
}

/**
 * True for `lib/a/x.ts` and `spec/a/x.spec.ts`; also for `x-cost.spec.ts`, about one side
 * of the same file, and for `docs.spec.ts`, about the module's page in docs/.
 */
function isNamedAfterFile(spec: string, files: ReadonlySet<string>): boolean {
  const [, folder = "", name = ""] = /^spec\/(.*)\/([^/]+)\.spec\.ts$/.exec(spec) ?? [];
  if (name === "docs") return true;
  const words = name.split("-");
  return words.some((_, i) => {
    const stem = words.slice(0, i + 1).join("-");
    return files.has(folder === "bin" ? `bin/${stem}` : `lib/${folder}/${stem}`);
  });
}
