/**
 * The registry entry against the rules that the ACP registry publishes: its JSON schema's
 * patterns, exact versions, addresses, and the icon. Written from the rules, not with our own
 * generator.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { registryEntry } from "../../../lib/program/zed/registry-entry.ts";
import { isPlaceholder, releaseInfo, targets } from "../../../lib/program/zed/release-info.ts";
import { readText } from "../../support/files.ts";

const sums = new Map(targets.map(({ archive }, i) => [archive, String(i).repeat(64)]));
const files = registryEntry({ repository: releaseInfo.repository, sums });
const agent = JSON.parse(files["bowline/agent.json"] ?? "{}");
const manifest = JSON.parse(readText("package.json"));

/** Every rule that an entry breaks. */
function faults(entry: Record<string, any>, icon: string): readonly string[] {
  const rules: readonly (readonly [string, boolean])[] = [
    ["id", /^[a-z][a-z0-9-]*$/.test(entry["id"])],
    ["version", /^\d+\.\d+\.\d+$/.test(entry["version"])],
    ["texts", ["name", "description", "license"].every((key) => typeof entry[key] === "string" && entry[key] !== "")],
    ["addresses", ["repository", "website", "license_url"].every((key) => isAddress(entry[key]))],
    ["authors", Array.isArray(entry["authors"]) && entry["authors"].length > 0],
    ["keys", Object.keys(entry).every((key) => knownKeys.includes(key))],
    ["distribution", Object.keys(entry["distribution"] ?? {}).some((kind) => ["npx", "uvx", "binary"].includes(kind))],
    ["npx", hasExactVersion(entry)],
    ["binary", Object.entries(entry["distribution"]?.binary ?? {}).every(([name, one]) => isTarget(entry, name, one))],
    ["no latest", !JSON.stringify(entry["distribution"]).includes("latest")],
    ["icon size", /<svg[^>]* width="16" height="16" viewBox="0 0 16 16"/.test(icon)],
    ["icon colours", colours(icon).every((colour) => ["currentColor", "none", "inherit"].includes(colour))],
    ["icon content", !/<(?:script|image|style|foreignObject)|href|url\(/i.test(icon)],
  ];
  return rules.filter(([, holds]) => !holds).map(([name]) => name);
}

const knownKeys = "id name version description repository website authors license license_url distribution".split(" ");
const systems = ["darwin", "linux", "windows"].flatMap((one) => [`${one}-aarch64`, `${one}-x86_64`]);

function isAddress(text: unknown): boolean {
  return typeof text === "string" && URL.canParse(text) && text.startsWith("https://");
}

function hasExactVersion({ version, distribution }: Record<string, any>): boolean {
  const { npx } = distribution ?? {};
  return npx === undefined || npx.package?.endsWith(`@${version}`) === true;
}

function isTarget({ version }: Record<string, any>, name: string, one: any): boolean {
  const isComplete = isAddress(one.archive) && typeof one.cmd === "string" && one.archive.includes(version);
  const hasSum = one.sha256 === undefined || /^[a-f0-9]{64}$/i.test(one.sha256);
  return systems.includes(name) && isComplete && hasSum && /\.(?:zip|tar\.gz|tgz)$/.test(one.archive);
}

function colours(icon: string): readonly string[] {
  return [...icon.matchAll(/(?:fill|stroke|color|stop-color)="([^"]*)"/g)].map(([, colour = ""]) => colour);
}

describe("the registry entry", () => {
  it("the registry entry keeps every published rule", () => {
    assert.deepEqual(faults(agent, files["bowline/icon.svg"] ?? ""), []);
    assert.deepEqual(Object.keys(agent.distribution), ["npx", "binary"]);
  });

  it("each rule finds the entry that breaks it", () => {
    const icon = files["bowline/icon.svg"] ?? "";
    const broken: readonly (readonly [string, Record<string, any>, string])[] = [
      ["id", { ...agent, id: "Bowline" }, icon],
      ["version", { ...agent, version: "1.0" }, icon],
      ["authors", { ...agent, authors: [] }, icon],
      ["addresses", { ...agent, website: undefined }, icon],
      ["npx", { ...agent, distribution: { npx: { package: "bowline" } } }, icon],
      ["distribution", { ...agent, distribution: {} }, icon],
      ["icon colours", agent, icon.replace("currentColor", "#fff")],
      ["icon size", agent, icon.replace('width="16"', 'width="24"')],
    ];
    for (const [rule, entry, drawn] of broken) assert.ok(faults(entry, drawn).includes(rule), rule);
  });

  it("addresses, author and licence come from package.json, so one edit makes them real", () => {
    assert.equal(agent.website, manifest.homepage);
    assert.equal(`git+${agent.repository}.git`, manifest.repository.url);
    assert.deepEqual(agent.authors, [manifest.author]);
    assert.ok(manifest.bugs.url.startsWith(agent.repository));
    assert.equal(agent.distribution.npx.package, `${manifest.name}@${manifest.version}`);
    assert.equal(isPlaceholder("https://github.com/someone/bowline"), false);
  });
});
