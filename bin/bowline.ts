#!/usr/bin/env node
/**
 * Bowline's program: argv to one command, and its exit code.
 *
 * 0 when it did its work, 1 when it could not, 2 when it was called wrongly.
 */
import { demo } from "../lib/client/index.ts";
import { exampleAgent } from "../lib/agent/index.ts";
import { stdioLink } from "../lib/index.ts";
import { version } from "../lib/version.ts";

const usage = `bowline: ties an editor to an agent with one line

usage:
  bowline                an ACP agent on stdin and stdout
  bowline demo           that agent and a client, talking in this terminal
  bowline --version
  bowline --help

docs: README.md
`;

process.exitCode = await main(process.argv.slice(2));

async function main([command, ...rest]: readonly string[]): Promise<number> {
  if (rest.length > 0) return wrongUsage(`${command} takes no arguments`);
  switch (command) {
    case undefined:
      await exampleAgent(stdioLink()).settled;
      return 0;
    case "demo":
      await demo((text) => process.stdout.write(text));
      return 0;
    case "--version":
      process.stdout.write(`${version}\n`);
      return 0;
    case "--help":
      process.stdout.write(usage);
      return 0;
    default:
      return wrongUsage(`unknown command ${JSON.stringify(command)}`);
  }
}

function wrongUsage(why: string): number {
  process.stderr.write(`bowline: ${why}; see bowline --help\n`);
  return 2;
}
