/**
 * Every test and every file that `npm run test:windows` leaves out exists under that name: after
 * a new title the test would run there, and fail.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { filesBelow, readText } from "../support/files.ts";
import { excludedFiles, excludedTests, windowsSpecs } from "../windows/selection.ts";

it("every test and file that is left out under wine exists", () => {
  const specs = filesBelow(["spec"], ".spec.ts").filter((path) =>
    windowsSpecs.some((prefix) => path.startsWith(prefix)),
  );
  assert.deepEqual(
    Object.keys(excludedFiles).filter((path) => !specs.includes(path)),
    [],
  );
  const text = specs.map(readText).join("\n");
  assert.deepEqual(
    Object.keys(excludedTests).filter((title) => !new RegExp(`["\`]${title}["\`]`).test(text)),
    [],
  );
});
