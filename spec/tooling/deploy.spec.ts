/**
 * docs/deploy: the Dockerfile and the Kubernetes manifest are well formed, and run the same command.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseArgv } from "../../lib/program/argv.ts";
import { serveCommand } from "../../lib/program/commands/serve.ts";
import { containerArgs } from "../support/deploy.ts";
import { readText } from "../support/files.ts";

const dockerfile = readText("docs/deploy/Dockerfile");
const manifest = readText("docs/deploy/kubernetes.yaml");

/** The instruction's arguments in the Dockerfile, which are JSON. */
function instruction(name: string): readonly string[] {
  const [, list = "[]"] = new RegExp(`^${name} (\\[.*\\])$`, "m").exec(dockerfile) ?? [];
  return JSON.parse(list) as readonly string[];
}

describe("docs/deploy", () => {
  it("the manifest is indented by two spaces, without tabs, and every line is a key, an item or a separator", () => {
    let depth = 0;
    for (const line of manifest.trimEnd().split("\n")) {
      const [, spaces = "", rest = ""] = /^( *)(.*)$/.exec(line) ?? [];
      assert.equal(spaces.length % 2, 0, line);
      assert.ok(spaces.length <= depth + 4, `${line}: indented too far`);
      assert.match(rest, /^(?:---|(?:- )*[A-Za-z]\w*:(?: \S.*)?)$/, line);
      depth = spaces.length;
    }
  });

  it("the manifest has a StatefulSet with probes, a grace period, the shared directory and the token as a secret", () => {
    for (const part of [
      /^kind: StatefulSet$/m,
      /^ {10}readinessProbe:\n {12}httpGet:\n {14}path: \/healthz$/m,
      /^ {10}livenessProbe:\n {12}httpGet:\n {14}path: \/healthz$/m,
      /^ {6}terminationGracePeriodSeconds: (?:[1-9]\d+)$/m,
      /name: CLAUDE_CONFIG_DIR\n +value: \/conversations$/m,
      /mountPath: \/conversations$/m,
      /name: BOWLINE_TOKEN\n +valueFrom:\n +secretKeyRef:$/m,
      /runAsNonRoot: true$/m,
    ])
      assert.match(manifest, part);
  });

  it("the container command of the Dockerfile and the manifest is the same, and the program accepts it", () => {
    const args = containerArgs();
    assert.deepEqual(instruction("CMD"), args);
    const [name, ...rest] = args;
    assert.equal(name, serveCommand.name);
    assert.doesNotThrow(() => parseArgv(serveCommand.options, rest));
    assert.ok(args.join(" ").includes("--port 4747") && manifest.includes("containerPort: 4747"));
  });

  it("the Dockerfile runs as a user without rights, stops by SIGTERM and asks for its health", () => {
    assert.match(dockerfile, /^USER bowline$/m);
    assert.match(dockerfile, /^STOPSIGNAL SIGTERM$/m);
    assert.ok(instruction("HEALTHCHECK CMD").join(" ").includes("/healthz"));
    assert.deepEqual(instruction("ENTRYPOINT"), ["node", "/usr/local/lib/bowline.mjs"]);
  });
});
