/**
 * Measures reading the params of a text chunk by schema, once they are parsed.
 *
 * The floor is one `JSON.parse` of the whole message.
 */
import { zSessionNotification } from "../../../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js";
import { smallLines, textChunk } from "../messages.ts";
import { type Run, timed } from "../measure.ts";
import type { Row, Setting } from "../row.ts";

type Params = ReturnType<typeof textChunk>["params"];

const messageCount = 64;
const passes = 500;

export function schemaRows({ bowline }: Setting): Row[] {
  const lines = smallLines(messageCount);
  const messages = lines.map((line): Params => (JSON.parse(line) as { readonly params: Params }).params);
  const { Fault, SessionNotification } = bowline;
  return [
    {
      name: "schema: read a text chunk's params",
      scale: { kind: "cost", unit: " ns", per: passes * messageCount },
      target: 0.1,
      rounds: 15,
      quickRounds: 5,
      warmUps: 4,
      open: () => ({
        contestants: {
          floor: everyPass(lines, (line) => JSON.parse(line) !== null),
          ours: everyPass(messages, (params) => !(SessionNotification.read(params) instanceof Fault)),
          "official SDK": everyPass(messages, (params) => zSessionNotification.safeParse(params).success),
        },
      }),
    },
  ];
}

function everyPass<T>(inputs: readonly T[], isRead: (input: T) => boolean): Run {
  return () => {
    let seen = 0;
    const cost = timed(() => {
      for (let pass = 0; pass < passes; pass++) for (const input of inputs) if (isRead(input)) seen++;
    });
    if (seen !== passes * inputs.length) throw new Error("the bench is broken: not everything was read");
    return cost;
  };
}
