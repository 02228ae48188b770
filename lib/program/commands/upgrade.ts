/**
 * Defines `bowline upgrade`: says how this program is upgraded and, with --check, whether
 * there is a newer version.
 */
import { version } from "../../version.ts";
import { command, CommandFailure } from "../command.ts";
import { printLine } from "../print.ts";
import { howToUpgrade, installationOf, newestVersion } from "../upgrade.ts";

export const upgradeCommand = command({
  name: "upgrade",
  summary: "say how to upgrade, and whether there is a newer version",
  about: [
    "Prints how this program was installed and the command that upgrades it. Upgrades nothing by itself.",
    "Only --check uses the network: it asks npm for the newest version, with your npm settings.",
  ],
  options: { "--check": { about: "ask npm for the newest version" } },
  exitCodes: {
    0: "this version is the newest, or nothing was asked",
    1: "npm did not answer",
    3: "there is a newer version",
  },
  examples: [{ line: "bowline upgrade --check", about: "is there a newer version?" }],
  seeAlso: ["doctor", "docs/platforms.md"],
  run: async ({ options }, { stdout }) => {
    const installation = installationOf(process.argv[1] ?? "");
    if (!options["--check"]) {
      printLine(stdout, `bowline ${version} (${installation}); to upgrade: ${howToUpgrade(installation)}`);
      return 0;
    }
    const newest = await newestVersion();
    switch (newest.kind) {
      case "unknown":
        throw new CommandFailure(`the newest version is not known: ${newest.why}`);
      case "newest":
        printLine(stdout, `bowline ${version} is the newest version`);
        return 0;
      case "newer":
        printLine(
          stdout,
          `bowline ${newest.version} is newer than ${version}; to upgrade: ${howToUpgrade(installation, newest.version)}`,
        );
        return 3;
    }
  },
});
