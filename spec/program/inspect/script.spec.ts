/**
 * The bundler of the inspector's page.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileFunction } from "node:vm";
import { joined, pageScript } from "../../../lib/program/inspect/script.ts";
import { filesBelow, readText } from "../../support/files.ts";

/** Runs the script; returns what the last module left in `said`. */
function run(modules: Readonly<Record<string, string>>): unknown {
  return compileFunction(`const said = [];${joined(new Map(Object.entries(modules)))}return said;`)();
}

describe("joined", () => {
  it("a module gets what others export, and nothing else", () => {
    const said = run({
      a: 'const own = "a\'s";\nexport function name() {\n  return own;\n}',
      "b-c": 'import { name } from "./a.js";\n\nconst own = "b\'s";\nexport class Pair {\n  both = [name(), own];\n}',
      d: 'import { name } from "./a.js";\nimport {\n  Pair,\n} from "./b-c.js";\nsaid.push(name(), ...new Pair().both);',
    });
    assert.deepEqual(said, ["a's", "a's", "b's"]);
  });

  it("minified modules can be bundled", () => {
    const said = run({
      a: 'const e="a";export function name(){return e}export class Pair{}',
      b: 'import{name as e,Pair}from"./a.js";const t=e()+Pair.name;said.push(t);',
    });
    assert.deepEqual(said, ["aPair"]);
  });
});

describe("the page's script", () => {
  const shared = "lib/serve/page/invisible-characters.js";
  const paths = [shared, ...filesBelow(["lib/program/inspect/page"], ".js")];

  it("the script parses, and contains every module", () => {
    assert.doesNotThrow(() => compileFunction(pageScript()));
    for (const path of paths) assert.ok(pageScript().includes(`modules["${/([\w-]+)\.js$/.exec(path)?.[1]}"]=`), path);
  });

  it("each module runs after those it imports", () => {
    const order = [...pageScript().matchAll(/^modules\["([\w-]+)"\]=/gm)].map(([, name]) => name);
    assert.equal(order.length, paths.length);
    for (const [i, name] of order.entries()) {
      const text = readText(paths.find((path) => path.endsWith(`/${name}.js`)) ?? "");
      for (const [, from] of text.matchAll(/ from "\.[./\w]*\/([\w-]+)\.js";/g))
        assert.ok(order.slice(0, i).includes(from), `${name} imports ${from}`);
    }
  });

  it("every module uses only the import and export syntax that the bundler supports", () => {
    for (const path of paths) {
      for (const [line] of readText(path).matchAll(/^(?:import|export)\b.*/gm))
        assert.match(
          line,
          /^import \{$|^import \{ .* \} from "(?:\.|\.\.\/\.\.\/\.\.\/serve\/page)\/[\w-]+\.js";$|^export (?:function|class) \w/,
          path,
        );
    }
  });

  it("only modules that draw use the DOM", () => {
    const pure = [
      "json",
      "format",
      "describe",
      "tool-calls",
      "turns",
      "tape",
      "time-scale",
      "participants",
      "list-items",
      "view-state",
    ];
    for (const name of pure) {
      const text = readText(`lib/program/inspect/page/${name}.js`);
      assert.doesNotMatch(text, /\bdocument\b|\bwindow\b|\.\/dom\.js/, name);
    }
  });

  it("the script contains no markup that would end it", () => {
    assert.doesNotMatch(pageScript(), /<\/script|<!--/i);
  });
});
