/**
 * Turns each option `--agent` of `bowline serve` into an agent that the hub can start. The option
 * holds the command line of a program that speaks ACP on stdin and stdout.
 */
import { basename } from "node:path";
import type { UpstreamSource } from "../../hub/index.ts";
import { agentProgram, splitCommand } from "../chat/agent-source.ts";
import { WrongUsage } from "../argv.ts";

/** Agents that one server may offer. */
const maxAgents = 16;

/** `taken` are names that other agents have. Agents with the same program get a number. */
export function agentSources(
  lines: readonly string[],
  taken: readonly string[],
  cwd: string,
): readonly UpstreamSource[] {
  if (lines.length > maxAgents) throw new WrongUsage(`--agent may be given ${maxAgents} times`);
  const names = new Set(taken);
  return lines.map((line) => {
    const words = splitCommand(line);
    const [command] = words;
    if (command === undefined) throw new WrongUsage("--agent needs a command");
    const name = freeName(basename(command).replace(/\.(?:cmd|exe|mjs|js)$/i, ""), names);
    names.add(name);
    return { name, title: line.trim(), start: () => startProgram(words, cwd) };
  });
}

function startProgram(words: readonly string[], cwd: string): ReturnType<UpstreamSource["start"]> {
  const { link, explainExit, stopped } = agentProgram(words, cwd);
  return {
    link,
    explainExit,
    stop: async (reason) => {
      link.close(reason);
      await stopped();
    },
  };
}

function freeName(wanted: string, names: ReadonlySet<string>): string {
  let name = wanted;
  for (let i = 2; names.has(name); i++) name = `${wanted}-${i}`;
  return name;
}
