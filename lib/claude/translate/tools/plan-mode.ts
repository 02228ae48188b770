/**
 * Tool families of plan mode: entering it, and presenting the plan to leave it.
 */
import { toolContent } from "../../../acp/index.ts";
import { textIn } from "../../../schema/index.ts";
import { plainEnd, type ToolFamily } from "./tool-family.ts";

export const enterPlan: ToolFamily = {
  names: ["enterplanmode"],
  kind: "switch_mode",
  titleFields: [],
  open: () => ({ title: "Start planning" }),
  // The result contains only instructions to the model.
  end: (call, outcome) => (outcome.isError ? plainEnd(call, outcome) : { content: [] }),
};

export const exitPlan: ToolFamily = {
  names: ["exitplanmode"],
  kind: "switch_mode",
  titleFields: [],
  open: (input) => {
    const plan = textIn(input, "plan");
    return { title: "Go on with this plan?", ...(plan !== undefined && { content: [toolContent.block(plan)] }) };
  },
  end: ({ input }, outcome) => {
    const title = outcome.isError ? "Plan not approved" : "Plan approved";
    const written = textIn(outcome.structured ?? {}, "plan");
    // A plan in the input is already shown; a plan kept in a file is known only from the result.
    if (written === undefined || textIn(input, "plan") !== undefined) return { title };
    return { title, content: [toolContent.block(written)] };
  },
};
