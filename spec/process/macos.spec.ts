/**
 * What is different on macOS, with the platform passed in: processes without /proc, and the
 * PATH of a program that was started from the desktop.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inheritedEnvironment, isDesktopPath } from "../../lib/process/index.ts";
import { psRows, readPsRows } from "../../lib/process/process-table.ts";
import { checkPath, signInAdvice } from "../../lib/program/doctor/doctor.ts";

const desktop = "/usr/bin:/bin:/usr/sbin:/sbin";

describe("processes without /proc", () => {
  it("readPsRows reads ids, parents, states and start times as macOS prints them", () => {
    const output =
      "    1     0 Ss   Mon Nov 16 09:00:01 2026    \n 4711     1 S+   Mon Nov 16 09:00:02 2026    \n 4712  4711 Z    Mon Nov 16 09:00:03 2026    \n";
    assert.deepEqual(readPsRows(output), [
      { pid: 1, parent: 0, session: 0, started: "Mon Nov 16 09:00:01 2026", isZombie: false },
      { pid: 4711, parent: 1, session: 0, started: "Mon Nov 16 09:00:02 2026", isZombie: false },
      { pid: 4712, parent: 4711, session: 0, started: "Mon Nov 16 09:00:03 2026", isZombie: true },
    ]);
  });

  it("psRows lists this process, with a start time that does not depend on the locale", async (t) => {
    const rows = await psRows();
    if (rows.length === 0) return t.skip("ps is not installed");
    const own = rows.find(({ pid }) => pid === process.pid);
    assert.equal(own?.parent, process.ppid);
    assert.match(own?.started ?? "", /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+ [\d:]{8} \d{4}$/);
  });
});

describe("the PATH of a program started from the desktop", () => {
  it("isDesktopPath is true for the system's directories alone", () => {
    assert.ok(isDesktopPath(desktop));
    assert.ok(!isDesktopPath(`${desktop}:/opt/homebrew/bin`));
    assert.ok(!isDesktopPath(undefined));
  });

  it("the CLI gets the directories where users install programs, after the system's", () => {
    const exists = (path: string): boolean => ["/opt/homebrew/bin", "/Users/me/.local/bin"].includes(path);
    const user = { PATH: desktop, HOME: "/Users/me" };
    const completed = `${desktop}:/opt/homebrew/bin:/Users/me/.local/bin`;
    assert.equal(inheritedEnvironment(user, "darwin", exists).get("PATH"), completed);
    assert.equal(inheritedEnvironment(user, "linux", exists).get("PATH"), desktop);
    const own = `/Users/me/bin:${desktop}`;
    assert.equal(inheritedEnvironment({ ...user, PATH: own }, "darwin", exists).get("PATH"), own);
  });

  it("bowline doctor warns about the PATH that the macOS desktop gives to programs", () => {
    assert.equal(checkPath({ PATH: desktop }, "darwin").status, "warn");
    assert.equal(checkPath({ PATH: desktop }, "linux").status, "ok");
  });
});

describe("signing in on macOS", () => {
  it("doctor says what to do where the keychain cannot be opened", () => {
    assert.equal(signInAdvice({}, "linux"), "run bowline login");
    assert.match(signInAdvice({}, "darwin"), /^run bowline login; .*claude setup-token/);
    assert.match(signInAdvice({ SSH_CONNECTION: "x" }, "darwin"), /^run security unlock-keychain, or /);
  });
});
