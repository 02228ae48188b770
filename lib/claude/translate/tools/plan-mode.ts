/**
 * Plan mode: entering it, and presenting the plan that leaves it.
 */
import { toolContent } from "../../../acp/index.ts";
import { textIn } from "../../../schema/index.ts";
import { plainEnd, type ToolFamily } from "./tool-family.ts";

export const enterPlan: ToolFamily = {
  names: ["enterplanmode"],
  kind: "switch_mode",
  titleFields: [],
  open: () => ({ title: "Start planning" }),
  // The result instructs the model; there is nothing in it for a person.
  end: (call, outcome) => (outcome.isError ? plainEnd(call, outcome) : { content: [] }),
};

export const exitPlan: ToolFamily = {
  names: ["exitplanmode"],
  kind: "switch_mode",
  titleFields: [],
  open: (input) => {
    const plan = textIn(input, "plan");
    return { title: "Present the plan", ...(plan !== undefined && { content: [toolContent.block(plan)] }) };
  },
  end: ({ input }, outcome) => {
    const title = outcome.isError ? "Plan not approved" : "Plan approved";
    const written = textIn(outcome.structured ?? {}, "plan");
    // A plan given with the call is there already; one kept in a file is known only now.
    if (written === undefined || textIn(input, "plan") !== undefined) return { title };
    return { title, content: [toolContent.block(written)] };
  },
};
