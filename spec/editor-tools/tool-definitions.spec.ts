/**
 * The inputs of the writing tools.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inputProblem } from "../../lib/editor-tools/tool-definitions.ts";
import { hostileValues } from "../support/hostile-values.ts";

const edit = { file_path: "/p/a", old_string: "a", new_string: "b" };

describe("inputProblem", () => {
  it("inputProblem finds nothing wrong with the inputs that the tools describe", () => {
    assert.equal(inputProblem("Edit", edit), undefined);
    assert.equal(inputProblem("Edit", { ...edit, replace_all: true }), undefined);
    assert.equal(inputProblem("Write", { file_path: "/p/a", content: "" }), undefined);
    assert.equal(
      inputProblem("NotebookEdit", { notebook_path: "/p/a", new_source: "", edit_mode: "insert" }),
      undefined,
    );
  });

  it("inputProblem refuses parameters that a tool does not have, which a client would show and the tool ignore", () => {
    for (const more of [{ edits: [] }, { content: "x" }, { notebook_path: "/q" }, { ["__proto__x"]: 1 }]) {
      assert.match(inputProblem("Edit", { ...edit, ...more }) ?? "", /unexpected parameter/);
    }
    assert.match(
      inputProblem("NotebookEdit", { notebook_path: "/p", file_path: "/q", new_source: "" }) ?? "",
      /unexpected/,
    );
  });

  it("inputProblem refuses inputs that lack a parameter or have one of another type", () => {
    assert.match(inputProblem("Edit", { file_path: "/p/a" }) ?? "", /lacks old_string/);
    for (const [name, value] of hostileValues) {
      if (typeof value === "string") continue;
      assert.ok(inputProblem("Write", { file_path: "/p/a", content: value }) !== undefined, name);
      assert.ok(inputProblem("Write", value) !== undefined, name);
    }
    assert.match(
      inputProblem("NotebookEdit", { notebook_path: "/p", new_source: "", edit_mode: "x" }) ?? "",
      /must be one of/,
    );
    for (const name of ["Read", "MultiEdit"]) assert.match(inputProblem(name, edit) ?? "", /no tool/);
  });
});
