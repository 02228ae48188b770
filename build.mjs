/**
 * Builds what is shipped: the library, the single-file program, the declarations.
 *
 * `node build.mjs` builds all of it, prints the sizes, and fails past the budget in
 * package.json. `node build.mjs --install` only installs the development tools where they
 * are missing, so that `npm start` and `npm test` work on a fresh clone.
 * `node build.mjs --program <file>` builds only the program and its source map,
 * `node build.mjs --library <directory>` only the code of the library.
 * `node build.mjs --script <file>` prints a script for a page, bundled with its imports.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { breakLines, joinParts } from "./spec/tooling/build/build-lines.mjs";

const root = fileURLToPath(new URL(".", import.meta.url));
process.chdir(root);
const { budget, engines, exports: subpaths, version } = JSON.parse(readFileSync("package.json", "utf8"));

/**
 * The layers of the program and their modules. The start-up code, for which an editor
 * waits, is evaluated at once. Each layer is one function in the file, which Node only
 * scans until the program first imports the entry point of one of the layer's modules.
 * The start-up code contains copies of the few files of these modules that it imports
 * statically; a layer uses its own copy.
 */
const layers = {
  agent: [
    "schema",
    "wire",
    "rpc",
    "acp",
    "process",
    "display",
    "engine",
    "claude",
    "claude/translate",
    "claude/engine",
    "codex",
    "tape",
    "editor-tools",
    "agent",
  ],
  commands: ["bridge", "hub", "packets", "serve", "program"],
};

const common = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: `node${engines.node.replace(/\D/g, "")}`,
  legalComments: "none",
  logLevel: "warning",
};

/** No name is shortened, so that the file can be searched and stack traces name functions. */
const compact = { minifyWhitespace: true, minifySyntax: true };

const [what, given] = process.argv.slice(2);
if (what === "--script") process.stdout.write(await bundledScript(await import("esbuild"), given));
else {
  install();
  if (what === "--program") await buildProgram(await import("esbuild"), given);
  else if (what === "--library") await buildLibrary(await import("esbuild"), given);
  else if (what !== "--install") await build();
}

/** Installs the development tools when they are missing or older than the lock file. */
function install() {
  const stamp = "node_modules/.package-lock.json";
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync("package-lock.json").mtimeMs) return;
  process.stderr.write("bowline: installing the development tools, this happens once...\n");
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
}

async function build() {
  const esbuild = await import("esbuild");
  rmSync("dist", { recursive: true, force: true });
  await buildLibrary(esbuild, "dist/lib");
  await buildProgram(esbuild, "dist/bowline.mjs");
  buildDeclarations();
  let isOver = false;
  for (const [path, limit] of Object.entries(budget)) {
    const files = filesBelow(path);
    const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
    isOver ||= size > limit;
    // Builds are reproducible: the same sources, tools and Node give the same bytes. So a release can be verified.
    const sum = createHash("sha256");
    for (const file of files) sum.update(readFileSync(file));
    process.stdout.write(
      `${path.padEnd(20)} ${String(size).padStart(7)} bytes of ${limit}${size > limit ? "  OVER BUDGET" : ""}  sha256 ${sum.digest("hex")}\n`,
    );
  }
  if (isOver) process.exit(1);
}

/** Builds the entry points of the library. What two of them use is in a chunk of its own, so a class exists once. */
async function buildLibrary(esbuild, outdir) {
  await esbuild.build({
    ...common,
    splitting: true,
    outdir,
    outbase: "lib",
    chunkNames: "chunks/[name]-[hash]",
    entryPoints: libraryEntries().map((entry) => entry.source),
    plugins: [embeddedTexts(esbuild)],
  });
}

/** Emits the declarations of the library, and removes those that no entry point leads to. */
function buildDeclarations() {
  const tsc = ["node_modules/typescript/bin/tsc"];
  run(process.execPath, [...tsc, "--project", "lib/exports"]);
  const entries = libraryEntries().map((entry) => entry.types);
  const flags = ["--ignoreConfig", "--listFilesOnly", "--module", "nodenext", "--types", "node"];
  const { stdout } = spawnSync(process.execPath, [...tsc, ...flags, ...entries], { encoding: "utf8" });
  const reachable = new Set(stdout.split("\n").map((path) => resolve(path)));
  for (const entry of entries) if (!reachable.has(resolve(entry))) throw new Error(`tsc does not list ${entry}`);
  for (const file of filesBelow("dist/types")) if (!reachable.has(resolve(file))) rmSync(file);
}

/** The entry points of the library in package.json: the source of each and its declarations. */
function libraryEntries() {
  return Object.values(subpaths)
    .filter((target) => typeof target === "object")
    .map(({ types, default: built }) => ({
      types,
      source: `lib/${relative("dist/lib", built).slice(0, -".js".length)}.ts`,
    }));
}

/** Builds the program as one file: a function for each layer, then the start-up code. */
async function buildProgram(esbuild, outfile) {
  const bundle = async (entry, plugins, banner, footer) => {
    const { outputFiles } = await esbuild.build({
      ...common,
      ...compact,
      ...entry,
      // CommonJS, so that Node runs the file under any name: below a package of type "commonjs",
      // an ES module in a file without an extension exits silently with code 0.
      format: "cjs",
      supported: { "dynamic-import": false },
      external: ["bowline:*"],
      sourcemap: "external",
      sourcesContent: false,
      // Only names the place for which the paths in the source map are relative.
      outfile: "dist/bowline.mjs",
      write: false,
      banner: { js: banner },
      footer: { js: footer },
      plugins: [...plugins, embeddedTexts(esbuild)],
    });
    const [map, code] = outputFiles;
    return breakLines(code.text, JSON.parse(map.text), nameOfSource);
  };
  const parts = [{ code: fileHeader() }];
  for (const [name, moduleNames] of Object.entries(layers)) {
    const exported = name === "commands" ? ["program"] : moduleNames;
    const contents = exported.map((one) => `export * as "${one}" from "./lib/${one}/index.ts";`).join("");
    const entry = { stdin: { contents, resolveDir: root, sourcefile: `layer-${name}` } };
    parts.push(await bundle(entry, [layerImports(moduleNames)], `function ${name}Layer(require, module) {`, "}"));
  }
  parts.push(await bundle({ entryPoints: ["bin/bowline.ts"] }, [layerImports()], startOfProgram(), "})();"));
  const name = "bowline.mjs";
  const { code, map } = joinParts([...parts, { code: `//# sourceMappingURL=${name}.map\n` }], name);
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, code);
  writeFileSync(`${outfile}.map`, JSON.stringify(map));
}

function fileHeader() {
  return `#!/usr/bin/env node
/*
 * Bowline ${version}, MIT licence. Built from its TypeScript sources by build.mjs. Spaces and comments are left out, names
 * are not shortened. A comment says where the code of each source file begins. Only the scripts of the two web pages
 * ("the text of ...page.js" and "...inspect.js") are minified.
 *
 * First come the layers, each a function that runs when it is first needed: agentLayer (the agent and the protocols)
 * and commandsLayer (all other commands). The function startBowline runs at once. It answers "initialize".
 * require("bowline:<module>") runs the layer of that module of lib; every other require is of a module of Node.
 */
"use strict";
`;
}

/** The beginning of the last part of the file, which the start-up code follows. */
function startOfProgram() {
  const layerOf = Object.entries(layers).flatMap(([name, moduleNames]) =>
    moduleNames.map((moduleName) => `    ${JSON.stringify(moduleName)}: ${name}Layer,\n`),
  );
  return `(async function startBowline() {
  const nodeModule = process.getBuiltinModule ?? (await import("node:module")).createRequire(process.execPath);
  const layerOf = {
${layerOf.join("")}  };
  const loaded = new Map();
  function require(name) {
    if (!name.startsWith("bowline:")) return nodeModule(name);
    const layer = layerOf[name.slice("bowline:".length)];
    if (!loaded.has(layer)) {
      const module = { exports: {} };
      loaded.set(layer, module);
      layer(require, module);
    }
    return loaded.get(layer).exports[name.slice("bowline:".length)];
  }
`;
}

/** The path of a source for the comment where its code begins; `source` is relative to dist. */
function nameOfSource(source) {
  if (source.startsWith("text:")) return `the text of ${source.slice("text:".length, -".text".length)}`;
  return relative(root, resolve("dist", source)).split(sep).join("/");
}

/**
 * Turns imports of entry points of modules into imports of `bowline:<module>`: dynamic
 * imports, and those of modules outside this layer. The start-up code has no layer and
 * contains what it imports statically.
 */
function layerImports(moduleNames) {
  return {
    name: "layer imports",
    setup: ({ onResolve }) => {
      onResolve({ filter: /index\.ts$/ }, ({ path, resolveDir, kind }) => {
        const moduleName = moduleOfEntryPoint(join(resolveDir, path));
        if (moduleName === undefined) return undefined;
        const isOutside = kind === "dynamic-import" || (moduleNames !== undefined && !moduleNames.includes(moduleName));
        return isOutside ? { path: `bowline:${moduleName}`, external: true } : undefined;
      });
    },
  };
}

/** The module whose entry point this is; undefined when it is in no layer. */
function moduleOfEntryPoint(path) {
  const name = relative(join(root, "lib"), dirname(path)).split(sep).join("/");
  return basename(path) === "index.ts" && Object.values(layers).flat().includes(name) ? name : undefined;
}

/** Replaces each module `<file>.text.ts`, which reads `<file>`, by the text of the file, or by the bundled script. */
function embeddedTexts(esbuild) {
  return {
    name: "embedded texts",
    setup: ({ onResolve, onLoad }) => {
      onLoad({ filter: /\.text\.ts$/ }, ({ path }) => {
        const file = relative(root, path).split(sep).join("/").slice(0, -".text.ts".length);
        return { contents: `import content from "text:${file}"; export default function text() { return content; }` };
      });
      onResolve({ filter: /^text:/ }, ({ path }) => ({
        // The ending keeps esbuild from reading more into the name of the file.
        path: `${path.slice("text:".length)}.text`,
        namespace: "text",
      }));
      onLoad({ filter: /.*/, namespace: "text" }, async ({ path }) => {
        const file = path.slice(0, -".text".length);
        return { contents: await embeddedText(esbuild, file), loader: "text" };
      });
    },
  };
}

/** A file as the program contains it: scripts for pages are bundled, style sheets and programs lose their spaces and comments. */
async function embeddedText(esbuild, file) {
  if (extname(file) === ".js") return bundledScript(esbuild, file);
  const text = readFileSync(file);
  const loader = { ".css": "css", ".cjs": "js" }[extname(file)];
  if (loader === undefined) return text;
  return (await esbuild.transform(text, { loader, minifyWhitespace: true, lineLimit: 120, charset: "utf8" })).code;
}

/** A script for a page: one file and the modules it imports. */
async function bundledScript({ build: bundle }, file) {
  const { outputFiles } = await bundle({
    bundle: true,
    minify: true,
    format: "iife",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    entryPoints: [file],
    write: false,
  });
  return outputFiles[0].text;
}

/** The files below a directory, or the file itself, in a fixed order. */
function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (error !== undefined) process.stderr.write(`bowline: could not run ${command}: ${error.message}\n`);
  if (status !== 0) process.exit(status ?? 1);
}
