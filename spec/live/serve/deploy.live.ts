/**
 * docs/deploy against linters that others wrote: the Dockerfile, the Kubernetes manifest and
 * the two proxy configurations.
 *
 * The manifest is checked with the types of the Kubernetes API: tsc refuses a field that the
 * API does not have, and a value of another type.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readText } from "../../support/files.ts";
import { installed } from "../../support/live/real-cli.ts";

const tsc = fileURLToPath(new URL("../../../node_modules/.bin/tsc", import.meta.url));

interface YamlDocument {
  readonly errors: readonly unknown[];
  readonly warnings: readonly unknown[];
  readonly toJS: () => unknown;
}

/** The problems that the types of the Kubernetes API find in a manifest of a Service and a StatefulSet. */
async function problemsOf(manifest: string): Promise<string> {
  const yaml = (await import(pathToFileURL(join(installed("yaml", "2.9.1"), "yaml", "dist", "index.js")).href)) as {
    readonly default: { readonly parseAllDocuments: (text: string) => readonly YamlDocument[] };
  };
  const documents = yaml.default.parseAllDocuments(manifest);
  assert.deepEqual(
    documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]),
    [],
  );
  const [service, set] = documents.map((one) => JSON.stringify(one.toJS()));
  const directory = mkdtempSync(join(tmpdir(), "manifest-"));
  try {
    symlinkSync(installed("kubernetes-types", "1.30.0"), join(directory, "node_modules"));
    const file = join(directory, "manifest.ts");
    writeFileSync(
      file,
      `import type { Service } from "kubernetes-types/core/v1";
      import type { StatefulSet } from "kubernetes-types/apps/v1";
      export const service: Service = ${service};
      export const set: StatefulSet = ${set};`,
    );
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"];
    return spawnSync(tsc, [...flags, file], { encoding: "utf8", cwd: directory }).stdout;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe("docs/deploy and the linters of others", () => {
  it("dockerfile-utils finds nothing in the Dockerfile, and finds what is wrong in a wrong one", () => {
    const load = createRequire(join(installed("dockerfile-utils", "0.16.3"), "dockerfile-utils", "package.json"));
    const { validate } = load("dockerfile-utils") as { readonly validate: (text: string) => readonly unknown[] };
    const dockerfile = readText("docs/deploy/Dockerfile");
    assert.deepEqual(validate(dockerfile), []);
    assert.notDeepEqual(validate(dockerfile.replace("EXPOSE 4747", "EXPOSE port")), []);
  });

  it("the types of the Kubernetes API accept the manifest, and refuse a wrong one", async () => {
    const manifest = readText("docs/deploy/kubernetes.yaml");
    assert.equal(await problemsOf(manifest), "");
    assert.match(await problemsOf(manifest.replace("replicas: 3", "replica: 3")), /'"replica"' does not exist/);
    assert.match(
      await problemsOf(manifest.replace("replicas: 3", "replicas: three")),
      /not assignable to type 'number/,
    );
  });

  for (const [name, file, args] of [
    ["haproxy", "docs/deploy/haproxy.cfg", ["-c", "-f"]],
    ["nginx", "docs/deploy/nginx.conf", ["-t", "-e", "stderr", "-g", "pid /dev/null;", "-c"]],
  ] as const) {
    const isMissing = spawnSync(name, ["-v"]).error !== undefined;
    it(`${name} accepts its configuration`, { skip: isMissing && `${name} is not installed` }, () => {
      const path = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
      const { status, stderr } = spawnSync(name, [...args, path], { encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(stderr, /\b(?:warn|warning|alert|emerg)\b/i);
    });
  }
});
