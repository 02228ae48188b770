/**
 * Build: the sources into what is shipped.
 *
 * `node build.mjs` makes the library bundle, the single-file program and the
 * declarations, prints their sizes, and fails past the budget in package.json.
 * `node build.mjs --install` only sees to it that the development tools are
 * there, so that `npm start` and `npm test` work on a fresh clone, and
 * `node build.mjs --program <file>` makes only the program, for the bench.
 *
 * The program is layered by modules. What an editor waits for is plain code; the
 * layers above it are carried compressed and unpacked when a dynamic import first
 * enters one of their modules, so that they cost a start nothing. Start to `initialize`,
 * over `node -e 0`: 1.42 as one piece, 1.14 layered (`npm run bench -- start-up`).
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const root = fileURLToPath(new URL(".", import.meta.url));
process.chdir(root);
const { budget, engines } = JSON.parse(readFileSync("package.json", "utf8"));

/** The layers above the ground. Its own share of their modules is small, and theirs to keep. */
const layers = {
  engine: ["schema", "wire", "rpc", "acp", "process", "claude", "claude/translate", "tape", "editor-tools", "agent"],
  people: ["bridge", "packets", "serve", "program"].filter((moduleName) => existsSync(`lib/${moduleName}`)),
};

const common = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: `node${engines.node.replace(/\D/g, "")}`,
  legalComments: "none",
  logLevel: "warning",
};

install();
const [what, outfile] = process.argv.slice(2);
if (what === "--program") await buildProgram(await import("esbuild"), outfile);
else if (what !== "--install") await build();

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
  await esbuild.build({ ...common, entryPoints: ["lib/index.ts"], outfile: "dist/index.js" });
  await buildProgram(esbuild, "dist/bowline.mjs");
  run(process.execPath, ["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"]);
  for (const moduleName of ["bin", "spec"]) rmSync(`dist/types/${moduleName}`, { recursive: true, force: true });
  let isOver = false;
  for (const [file, limit] of Object.entries(budget)) {
    const { size } = statSync(file);
    isOver ||= size > limit;
    // The same sources, tools and node give the same bytes; whoever doubts a release can make it again.
    const sum = createHash("sha256").update(readFileSync(file)).digest("hex");
    process.stdout.write(
      `${file.padEnd(20)} ${String(size).padStart(7)} bytes of ${limit}${size > limit ? "  OVER BUDGET" : ""}  sha256 ${sum}\n`,
    );
  }
  if (isOver) process.exit(1);
}

/** The program as one file: the ground floor as it is, the layers packed. */
async function buildProgram(esbuild, outfile) {
  const packed = {};
  for (const [name, moduleNames] of Object.entries(layers)) {
    const { outputFiles } = await esbuild.build({
      ...common,
      minify: true,
      format: "cjs",
      external: ["bowline:*"],
      stdin: {
        contents: moduleNames
          .map((moduleName) => `export * as "${moduleName}" from "./lib/${moduleName}/index.ts";`)
          .join(""),
        resolveDir: root,
      },
      write: false,
      plugins: [otherModules(moduleNames), source((moduleName) => `require("bowline:${moduleName}")`)],
    });
    packed[name] = brotliCompressSync(outputFiles[0].contents).toString("base64");
  }
  // Without module syntax, so that Node runs it under any name: below a package of type
  // "commonjs" a file without an extension that needs a module ends in silence with exit code 0.
  await esbuild.build({
    ...common,
    minify: true,
    format: "cjs",
    entryPoints: ["bin/bowline.ts"],
    outfile,
    banner: {
      js: '(async()=>{const require=process.getBuiltinModule??(await import("node:module")).createRequire(process.execPath);',
    },
    footer: { js: "})();" },
    plugins: [
      unpacking(),
      source((moduleName) => `unpack("${moduleName}")`, 'import { unpack } from "bowline:unpack";'),
    ],
  });
  // As comments at the end: a string is copied when the program is read, a comment is passed over.
  appendFileSync(
    outfile,
    Object.entries(packed)
      .map(([name, code]) => `//${name} ${code}\n`)
      .join(""),
  );
}

/** Entry points of modules that are not in this layer stay imports. */
function otherModules(moduleNames) {
  return {
    name: "other modules",
    setup: ({ onResolve }) => {
      onResolve({ filter: /\/index\.ts$/ }, ({ path, resolveDir }) => {
        const moduleName = moduleBehind(join(resolveDir, path));
        return moduleName === undefined || moduleNames.includes(moduleName)
          ? undefined
          : { path: `bowline:${moduleName}`, external: true };
      });
    },
  };
}

/** Turns a dynamic import of an entry point into what loads it here, and a file read beside its module into its text. */
function source(enter, prelude = "") {
  return {
    name: "source",
    setup: ({ onLoad }) => {
      onLoad({ filter: /[\\/](?:lib|bin)[\\/].*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const entered = text.replaceAll(/\bimport\("([^"]+\/index\.ts)"\)/g, (_, entry) =>
          enter(moduleBehind(join(dirname(path), entry))),
        );
        const { transformSync } = await import("esbuild");
        const contents = entered.replaceAll(
          /readFileSync\(\s*new URL\("([^"]+)", import\.meta\.url\), "utf8",?\s*\)/g,
          (_, file) => JSON.stringify(packedText(join(dirname(path), file), transformSync)),
        );
        return { contents: entered === text ? contents : `${contents}\n${prelude}`, loader: "ts" };
      });
    },
  };
}

/** A file that is shipped inside: what a browser reads is made small, the rest stays as it is. */
function packedText(file, transform) {
  const text = readFileSync(file, "utf8");
  const loader = extname(file).slice(1);
  return loader === "js" || loader === "css" ? transform(text, { loader, minify: true, charset: "utf8" }).code : text;
}

function unpacking() {
  // The text is read once, at the start: whatever becomes of the file, this is the code that runs.
  const contents = `
    import { readFileSync } from "node:fs";
    const layers = ${JSON.stringify(layers)};
    const text = ownText();
    const loaded = {};
    export async function unpack(moduleName) {
      return enter(moduleName);
    }
    function ownText() {
      const [url] = /file:\\/\\/[^\\s()]+?(?=:\\d+:\\d+)/.exec(new Error().stack) ?? [];
      const places = [typeof __filename === "string" ? __filename : url && new URL(url), process.argv[1]];
      for (const place of places) {
        try {
          const found = readFileSync(place, "latin1");
          if (Object.keys(layers).every((layer) => found.includes(startOf(layer)))) return found;
        } catch {}
      }
      process.stderr.write("bowline cannot read its own file; start it by the path of the file\\n");
      process.exit(1);
    }
    function enter(moduleName) {
      if (loaded[moduleName] === undefined) {
        const [name] = Object.entries(layers).find(([, moduleNames]) => moduleNames.includes(moduleName));
        const module = { exports: {} };
        const run = require("node:vm").compileFunction(codeOf(name), ["require", "module"], { filename: "bowline:" + name });
        run((id) => (id.startsWith("bowline:") ? enter(id.slice(8)) : require(id)), module);
        Object.assign(loaded, module.exports);
      }
      return loaded[moduleName];
    }
    function startOf(layer) {
      return "\\n//" + layer + " ";
    }
    function codeOf(layer) {
      const line = text.split(startOf(layer))[1];
      return require("node:zlib").brotliDecompressSync(Buffer.from(line.slice(0, line.indexOf("\\n")), "base64")).toString();
    }`;
  return {
    name: "unpacking",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^bowline:unpack$/ }, ({ path }) => ({ path, namespace: "unpack" }));
      onLoad({ filter: /.*/, namespace: "unpack" }, () => ({ contents, resolveDir: root, loader: "js" }));
    },
  };
}

function moduleBehind(entry) {
  const name = /[\\/]lib[\\/](.+)[\\/]index\.ts$/.exec(entry)?.[1]?.replaceAll("\\", "/");
  return Object.values(layers)
    .flat()
    .find((known) => known === name);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (error !== undefined) process.stderr.write(`bowline: could not run ${command}: ${error.message}\n`);
  if (status !== 0) process.exit(status ?? 1);
}
