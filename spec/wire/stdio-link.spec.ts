/**
 * Specs of the link over this process's stdin and stdout.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { childLink } from "../../lib/wire/index.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { LinkLog } from "../support/wire/link-log.ts";

const echo = await bundledProgram(fileURLToPath(new URL("../support/wire/stdio-echo.ts", import.meta.url)));

describe("stdioLink", () => {
  it("stdioLink carries lines over stdin and stdout, leaves the program's console alone and exits at the end of input", async () => {
    const link = childLink(process.execPath, [echo], { graceMs: 20_000 });
    const log = new LinkLog();
    link.open(log);
    link.send("a");
    link.send("é");
    await log.has("line heard é");
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(log.lines, ["the console is untouched", "heard a", "heard é"]);
    assert.equal(link.stderrTail(), "the editor left\n");
  });
});
