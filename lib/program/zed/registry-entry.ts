/**
 * Generates the files by which the ACP registry and Zed's extension store list Bowline.
 *
 * Returns file texts by path; writes nothing. Checksums are those of the archives.
 */
import { releaseInfo, targets } from "./release-info.ts";

export interface Release {
  readonly repository: string;
  /** SHA-256 by archive name; archives without one get no checksum. */
  readonly sums: ReadonlyMap<string, string>;
}

type Files = Readonly<Record<string, string>>;

/** `<id>/agent.json` and `<id>/icon.svg`. */
export function registryEntry({ repository, sums }: Release): Files {
  const { id, name, version, description, license, author, website } = releaseInfo;
  const binary = Object.fromEntries(
    targets.map((target) => {
      const sha256 = sums.get(target.archive);
      return [
        target.name,
        { archive: archiveUrl(repository, target.archive), ...(sha256 && { sha256 }), cmd: target.cmd, args: [] },
      ];
    }),
  );
  const license_url = `${repository}/blob/v${version}/LICENSE`;
  // Editors bring their own Node for npx; a binary archive needs a Node on the machine.
  const distribution = { npx: { package: `${id}@${version}` }, binary };
  const about = { id, name, version, description, repository, website, authors: [author], license, license_url };
  const agent = { ...about, distribution };
  return { [`${id}/agent.json`]: `${JSON.stringify(agent, null, 2)}\n`, [`${id}/icon.svg`]: icon };
}

/** `extension.toml` and its icon. */
export function zedExtension({ repository, sums }: Release): Files {
  const { id, name, version, description } = releaseInfo;
  const server = `agent_servers.${id}`;
  const blocks = [
    [
      `id = "${id}-acp"`,
      `name = "${name}"`,
      `version = "${version}"`,
      "schema_version = 1",
      `description = ${JSON.stringify(description)}`,
      `authors = [${JSON.stringify(releaseInfo.author)}]`,
      `repository = ${JSON.stringify(repository)}`,
    ],
    [`[${server}]`, `name = "${name}"`, `icon = "icon/${id}.svg"`],
    ...targets.map((target) => {
      const sha256 = sums.get(target.archive);
      return [
        `[${server}.targets.${target.name}]`,
        `archive = ${JSON.stringify(archiveUrl(repository, target.archive))}`,
        `cmd = "${target.cmd}"`,
        "args = []",
        ...(sha256 === undefined ? [] : [`sha256 = "${sha256}"`]),
      ];
    }),
  ];
  const toml = `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
  return { "extension.toml": toml, [`icon/${id}.svg`]: icon };
}

/** Reads `SHA256SUMS` as sha256sum writes it. */
export function readSums(text: string): Release["sums"] {
  const rows = text.matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm);
  return new Map([...rows].map(([, sum = "", name = ""]) => [name, sum]));
}

function archiveUrl(repository: string, archive: string): string {
  return `${repository}/releases/download/v${releaseInfo.version}/${archive}`;
}

/** A drawing of a bowline knot. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"><path d="M6 1.25v4.5C6 8 2.25 8.5 2.25 11.25c0 2.2 2.5 3.5 5.25 3.5s5.25-1.3 5.25-3.5C12.75 8 8.75 8.25 8.75 5"/><path d="M3.25 5.25h7.25c2 0 3-.75 3-2s-1-2-2.25-2c-1.5 0-2.5 1-2.5 2.5"/></svg>
`;
