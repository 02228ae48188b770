/**
 * Entry point of the program module.
 */
export { runCommand } from "./command.ts";
export { agentCommand } from "./commands/agent.ts";
export { describeSetup } from "./commands/doctor.ts";
export { loginCommand } from "./commands/login.ts";
export { commands, runProgram } from "./program.ts";
export { shareSessions } from "./share/share-sessions.ts";
export { recordedAgent } from "./tapes/record.ts";
