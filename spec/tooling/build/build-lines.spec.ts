/**
 * Line breaks in minified code, and the source map of the broken lines.
 */
import assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { describe, it } from "node:test";
import { transformSync } from "esbuild";
import { filesBelow, readText } from "../../support/files.ts";

interface Part {
  readonly code: string;
}

interface BuildLines {
  readonly breakLines: (code: string, map: object, nameOf: (path: string) => string) => Part;
  readonly joinParts: (
    parts: readonly Part[],
    file: string,
  ) => Part & { readonly map: ConstructorParameters<typeof SourceMap>[0] };
}

// Plain JavaScript, because build.mjs runs before the development tools are installed.
const module = new URL("./build-lines.mjs", import.meta.url).href;
const { breakLines, joinParts }: BuildLines = await import(module);

function minify(source: string, sourcefile: string): { readonly code: string; readonly map: string } {
  const options = { loader: "ts", minifyWhitespace: true, minifySyntax: true, sourcemap: "external" } as const;
  return transformSync(source, { ...options, sourcefile });
}

function broken(source: string, sourcefile = "a.ts"): Part {
  const { code, map } = minify(source, sourcefile);
  return breakLines(code, JSON.parse(map), (path) => path);
}

/** Forty functions of three lines; the second line throws. */
function throwing(prefix: string): string {
  const functions = Array.from(
    { length: 40 },
    (_, i) => `function ${prefix}${i}(value: string) {\n  if (value) throw new Error(value + "${prefix}${i}");\n}`,
  );
  return functions.join("\n");
}

describe("breakLines", () => {
  it("line breaks change nothing but the layout", () => {
    const paths = filesBelow(["lib"], ".ts").filter((path) => readText(path).length > 9000);
    assert.ok(paths.length > 10);
    for (const path of paths) {
      const source = readText(path);
      const layoutOf = (code: string): string => transformSync(code, { minify: true }).code;
      assert.equal(layoutOf(broken(source).code), layoutOf(minify(source, "a.ts").code), path);
    }
  });

  it("no string, template or regular expression is broken", () => {
    const [quoted, template, pattern] = ["a;{b}", "c;{d}", "e;"].map((piece) => piece.repeat(100));
    const { code } = broken(
      `f("${quoted}");\nf(\`${template}\${f({})}\`);\nf(/${pattern}/);\nfunction after() { return 1; }`,
    );
    for (const literal of [quoted, template, pattern]) assert.ok(code.includes(literal ?? ""));
  });

  it("each function begins a line, after a line with the name of its file", () => {
    const { code } = broken("function first() { return 1; }\nfunction second() { return 2; }");
    assert.deepEqual(code.trimEnd().split("\n"), [
      "// a.ts",
      "function first(){return 1}",
      "function second(){return 2}",
    ]);
  });
});

describe("joinParts", () => {
  it("the source map leads from each place in the joined file to its source file and line", () => {
    const parts = [{ code: "// head\n" }, broken(throwing("a"), "a.ts"), broken(throwing("b"), "b.ts")];
    const { code, map } = joinParts(parts, "out.js");
    const found = new SourceMap(map);
    let count = 0;
    for (const [at, line] of code.split("\n").entries()) {
      for (const { index, 1: prefix, 2: i } of line.matchAll(/throw new Error\(value\+"(\w)(\d+)"/g)) {
        const entry = found.findEntry(at, index);
        assert.ok("originalLine" in entry);
        assert.deepEqual([entry.originalSource, entry.originalLine], [`${prefix}.ts`, Number(i) * 3 + 1]);
        count += 1;
      }
    }
    assert.equal(count, 80);
  });
});
