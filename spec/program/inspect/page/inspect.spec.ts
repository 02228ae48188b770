/**
 * The script of the inspector's page, bundled from its modules.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Script } from "node:vm";
import pageScript from "../../../../lib/program/inspect/page/inspect.js.text.ts";
import { readText } from "../../../support/files.ts";

describe("the inspector's script", () => {
  const script = pageScript();

  it("the inspector's script is one script that parses and imports nothing", () => {
    assert.doesNotThrow(() => new Script(script));
    assert.doesNotMatch(script, /^\s*(?:import|export)\b|\bimport\(/m);
    assert.ok(script.length > 10_000);
  });

  it("the inspector's modules that do not draw do not use the DOM", () => {
    const pure = [
      "json",
      "format",
      "recording/describe",
      "recording/message-kinds",
      "recording/tool-calls",
      "recording/turns",
      "recording/tape",
      "timeline/time-scale",
      "recording/turn-spans",
      "recording/search",
      "detail/json-diff",
      "list/virtual-scroll",
      "recording/latency",
      "recording/participants",
      "list/list-items",
      "view-state",
    ];
    for (const name of pure) {
      const text = readText(`lib/program/inspect/page/${name}.js`);
      assert.doesNotMatch(text, /\bdocument\b|\bwindow\b|\.\/dom\.js/, name);
    }
  });

  it("the inspector's script contains no markup that would end it", () => {
    assert.doesNotMatch(script, /<\/script|<!--/i);
  });
});
