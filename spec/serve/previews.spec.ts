/**
 * Previews of the files that a session has made.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { toolContent, update } from "../../lib/acp/index.ts";
import { scriptedAgent, type TurnScript } from "../support/serve/scripted-agent.ts";
import { type Answer, type Served, served } from "../support/serve/test-server.ts";

describe("previews", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-previews-")));
  const site = join(root, "site");
  let now = 0;
  let harness: Served;
  let path = "";
  const made = ["site/index.html", "notes.md", "plan.svg", "paper.pdf", "link.txt"].map((name) => join(root, name));
  const script: TurnScript = async ({ show }) => {
    for (const [i, file] of made.entries()) {
      const content = [toolContent.diff(file, null, "text")];
      const call = { toolCallId: `call-${i}`, title: "Write", name: "Write", kind: "edit", content } as const;
      await show(update.toolCall({ ...call, status: "in_progress" }));
      await show(update.toolCallUpdate({ toolCallId: `call-${i}`, status: "completed", content }));
    }
  };
  before(async () => {
    mkdirSync(join(site, "img"), { recursive: true });
    writeFileSync(join(site, "index.html"), "<script src=app.js></script>");
    writeFileSync(join(site, "app.js"), "1");
    writeFileSync(join(site, ".env"), "SECRET=1");
    writeFileSync(join(site, "server.key"), "secret");
    writeFileSync(join(root, "notes.md"), "# Notes\n");
    writeFileSync(join(root, "plan.svg"), "<svg/>");
    writeFileSync(join(root, "paper.pdf"), "%PDF");
    writeFileSync(join(root, "unmade.md"), "not made by the session");
    symlinkSync("/etc/hostname", join(root, "link.txt"));
    symlinkSync("/etc", join(site, "etc"));
    harness = await served({ startAgent: scriptedAgent(script).start, roots: [root], now: () => now });
    path = await harness.open();
    const turn = await harness.stream("POST", `${path}/send-message`, { body: { content: "Make them" } });
    await turn.over();
  });
  after(async () => {
    await harness.close();
    rmSync(root, { recursive: true });
  });

  const offer = (file: string): Promise<Answer> => harness.call("POST", `${path}/previews`, { body: { path: file } });
  const open = (url: string): Promise<Answer> =>
    harness.call("GET", `/${url}`, { headers: { authorization: undefined } });

  it("only files that the session has made in the server's directories can be previewed", async () => {
    assert.equal((await offer(join(root, "notes.md"))).json.kind, "markdown");
    for (const file of [join(root, "unmade.md"), "/etc/passwd", join(site, "..", "notes.md", "x"), made[4] ?? ""])
      assert.equal((await offer(file)).status, 404, file);
  });

  it("a page is served in a sandbox without an origin, and can connect to nothing", async () => {
    const { url } = (await offer(join(site, "index.html"))).json;
    const { status, headers, text } = await open(url);
    const policy = String(headers["content-security-policy"]);
    assert.deepEqual([status, text], [200, "<script src=app.js></script>"]);
    assert.match(policy, /sandbox allow-scripts;/);
    assert.doesNotMatch(policy, /allow-same-origin|allow-top-navigation|allow-popups|allow-forms/);
    assert.match(policy, /default-src 'none'.*frame-ancestors 'self'.*connect-src 'none'/);
    assert.equal(headers["x-content-type-options"], "nosniff");
  });

  it("a page in a tab of its own is in a frame that can go nowhere else", async () => {
    const { url } = (await offer(join(site, "index.html"))).json;
    const { status, headers, text } = await open(`${url}?tab`);
    const policy = String(headers["content-security-policy"]);
    const own = new URL(url, harness.url);
    assert.equal(status, 200);
    assert.match(text, /<iframe src="\.\/index\.html"[^>]* sandbox="allow-scripts"/);
    assert.doesNotMatch(text, /<script/);
    assert.ok(policy.includes(`frame-src ${own.host}${own.pathname.replace("index.html", "")}`), policy);
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /script-src/);
  });

  it("SVG and text run no script, and a file can be saved instead", async () => {
    for (const name of ["plan.svg", "notes.md"]) {
      const { url } = (await offer(join(root, name))).json;
      assert.match(String((await open(url)).headers["content-security-policy"]), /; sandbox(;|$)/);
      assert.equal(
        (await open(`${url}?download`)).headers["content-disposition"],
        `attachment; filename*=UTF-8''${name}`,
      );
    }
    const pdf = (await offer(join(root, "paper.pdf"))).json;
    assert.equal((await open(pdf.url)).headers["content-type"], "application/pdf");
  });

  it("a page loads files of its own directory, but no hidden ones, no other types and nothing outside", async () => {
    const { url } = (await offer(join(site, "index.html"))).json;
    const base = url.slice(0, url.lastIndexOf("/"));
    const script = await open(`${base}/app.js`);
    assert.deepEqual([script.status, script.headers["content-type"]], [200, "text/javascript; charset=utf-8"]);
    for (const name of [".env", "server.key", "etc/hostname", "img", "..%2fnotes.md", "%2e%2e/notes.md", "missing.css"])
      assert.notEqual((await open(`${base}/${name}`)).status, 200, name);
    const notes = (await offer(join(root, "notes.md"))).json.url;
    assert.equal((await open(notes.replace("notes.md", "plan.svg"))).status, 404);
  });

  it("a named pipe in place of a file blocks nothing", { skip: process.platform === "win32" }, async () => {
    const { url } = (await offer(join(site, "index.html"))).json;
    const names = ["a.png", "b.png", "c.png", "d.png", "e.png"];
    execFileSync(
      "mkfifo",
      names.map((name) => join(site, name)),
    );
    const piped = await Promise.all(names.map((name) => open(url.replace("index.html", name))));
    assert.deepEqual(new Set(piped.map(({ status }) => status)), new Set([404]));
    assert.equal((await open(url)).status, 200);
  });

  it("a file that has become a link, or is behind one, is no longer served", async () => {
    const file = join(site, "index.html");
    const { url } = (await offer(file)).json;
    renameSync(file, join(root, "moved.html"));
    symlinkSync("/etc/hostname", file);
    assert.equal((await open(url)).status, 404);
    rmSync(file);
    renameSync(join(root, "moved.html"), file);
    assert.equal((await open(url)).status, 200);
    renameSync(site, join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), site);
    assert.equal((await open(url)).status, 404);
    rmSync(site);
    renameSync(join(root, "elsewhere"), site);
  });

  it("the address of a preview ends after 30 minutes, and another Host or secret is refused", async () => {
    const { url } = (await offer(join(root, "notes.md"))).json;
    assert.equal((await harness.call("GET", `/${url}`, { headers: { host: "evil.example" } })).status, 403);
    assert.equal((await open(url.replace(/previews\/../, "previews/AA"))).status, 404);
    now = 31 * 60_000;
    assert.equal((await open(url)).status, 404);
    now = 0;
  });
});
