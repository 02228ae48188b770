/**
 * Builds what is shipped: the library bundle, the single-file program, the declarations.
 *
 * `node build.mjs` builds all of it, prints the sizes, and fails past the budget in
 * package.json. `node build.mjs --install` only installs the development tools where they
 * are missing, so that `npm start` and `npm test` work on a fresh clone.
 * `node build.mjs --program <file>` builds only the program, for the bench.
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

/**
 * The layers of the program and their modules. The start-up code, for which an editor
 * waits, is plain code. Each layer is stored compressed at the end of the file and
 * unpacked when the program first imports the entry point of one of its modules. Time
 * from start to the response to `initialize`, relative to `node -e 0`: 1.42 without
 * layers, 1.14 with them (`npm run bench -- start-up`). The start-up code contains copies
 * of the few files of these modules that it imports directly; a layer uses its own copy.
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
    "tape",
    "editor-tools",
    "agent",
  ],
  commands: ["bridge", "packets", "serve", "program"].filter((moduleName) => existsSync(`lib/${moduleName}`)),
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
    // Builds are reproducible: the same sources, tools and Node give the same bytes. So a release can be verified.
    const sum = createHash("sha256").update(readFileSync(file)).digest("hex");
    process.stdout.write(
      `${file.padEnd(20)} ${String(size).padStart(7)} bytes of ${limit}${size > limit ? "  OVER BUDGET" : ""}  sha256 ${sum}\n`,
    );
  }
  if (isOver) process.exit(1);
}

/** Builds the program as one file: the start-up code as it is, the layers compressed. */
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
      plugins: [externalModules(moduleNames), rewriteSource((moduleName) => `require("bowline:${moduleName}")`)],
    });
    packed[name] = brotliCompressSync(outputFiles[0].contents).toString("base64");
  }
  // CommonJS, so that Node runs the file under any name: below a package of type "commonjs",
  // an ES module in a file without an extension exits silently with code 0.
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
      layerLoader(),
      rewriteSource((moduleName) => `unpack("${moduleName}")`, 'import { unpack } from "bowline:unpack";'),
    ],
  });
  // Stored as comments at the end: Node copies a string when it parses the file, and skips a comment.
  appendFileSync(
    outfile,
    Object.entries(packed)
      .map(([name, code]) => `//${name} ${code}\n`)
      .join(""),
  );
}

/** Keeps imports of entry points as imports where the module is not in this layer. */
function externalModules(moduleNames) {
  return {
    name: "external modules",
    setup: ({ onResolve }) => {
      onResolve({ filter: /\/index\.ts$/ }, ({ path, resolveDir }) => {
        const moduleName = moduleOfEntryPoint(join(resolveDir, path));
        return moduleName === undefined || moduleNames.includes(moduleName)
          ? undefined
          : { path: `bowline:${moduleName}`, external: true };
      });
    },
  };
}

/**
 * Rewrites two expressions in the sources: a dynamic import of an entry point becomes
 * `loadModule(name)`, and `readFileSync(new URL(...))` becomes the text of the file.
 * `prelude` is appended to every file with a rewritten import.
 */
function rewriteSource(loadModule, prelude = "") {
  return {
    name: "rewrite source",
    setup: ({ onLoad }) => {
      onLoad({ filter: /[\\/](?:lib|bin)[\\/].*\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const rewritten = text.replaceAll(/\bimport\("([^"]+\/index\.ts)"\)/g, (_, entry) =>
          loadModule(moduleOfEntryPoint(join(dirname(path), entry))),
        );
        const { transformSync } = await import("esbuild");
        const contents = rewritten.replaceAll(
          /readFileSync\(\s*new URL\("([^"]+)", import\.meta\.url\), "utf8",?\s*\)/g,
          (_, file) => JSON.stringify(assetText(join(dirname(path), file), transformSync)),
        );
        return { contents: rewritten === text ? contents : `${contents}\n${prelude}`, loader: "ts" };
      });
    },
  };
}

/** The text of an asset that the program contains. Scripts and styles for browsers are minified. */
function assetText(file, transform) {
  const text = readFileSync(file, "utf8");
  const loader = extname(file).slice(1);
  return loader === "js" || loader === "css" ? transform(text, { loader, minify: true, charset: "utf8" }).code : text;
}

/** Provides `bowline:unpack`, which loads a module from its compressed layer. */
function layerLoader() {
  // The program reads its own file once, at the start, so that replacing the file later changes nothing.
  const contents = `
    import { readFileSync } from "node:fs";
    const layers = ${JSON.stringify(layers)};
    const text = ownText();
    const loaded = {};
    export async function unpack(moduleName) {
      return load(moduleName);
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
    function load(moduleName) {
      if (loaded[moduleName] === undefined) {
        const [name] = Object.entries(layers).find(([, moduleNames]) => moduleNames.includes(moduleName));
        const module = { exports: {} };
        const run = require("node:vm").compileFunction(codeOf(name), ["require", "module"], { filename: "bowline:" + name });
        run((id) => (id.startsWith("bowline:") ? load(id.slice(8)) : require(id)), module);
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
    name: "layer loader",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^bowline:unpack$/ }, ({ path }) => ({ path, namespace: "unpack" }));
      onLoad({ filter: /.*/, namespace: "unpack" }, () => ({ contents, resolveDir: root, loader: "js" }));
    },
  };
}

/** The module whose entry point this is; undefined when it is in no layer. */
function moduleOfEntryPoint(entry) {
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
