/**
 * Live specs of `BOWLINE_SHELL_ENV`: what the profiles of real shells set reaches the commands of
 * the real CLI.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { AcpClient, bareCapabilities } from "../../support/live/client/acp-client.ts";
import { toolResultTexts } from "../../support/live/api/api-request.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { withAgent } from "../../support/live/with-agent.ts";

const script = [answer(call("Bash", { command: 'echo "$PROFILE_KEY:$PATH"' })), answer(say("Done."))];
/** Each shell, the file that it reads at login, and what that file says. */
const shells = [
  ["/bin/bash", ".bash_profile", "export PROFILE_KEY=from-profile PATH=/opt/profile/bin:$PATH; echo Welcome"],
  ["/usr/bin/zsh", ".zshrc", "export PROFILE_KEY=from-profile PATH=/opt/profile/bin:$PATH; echo Welcome"],
  [
    "/usr/bin/fish",
    ".config/fish/config.fish",
    "set -gx PROFILE_KEY from-profile; set -gx PATH /opt/profile/bin $PATH; echo Welcome",
  ],
] as const;

describe("the environment of the login shell", () => {
  for (const [shell, file, text] of shells) {
    for (const isOn of [true, false]) {
      const what = isOn ? "reaches the CLI's commands" : "is not read without BOWLINE_SHELL_ENV";
      it(`what the profile of ${shell} sets ${what}`, { skip: !existsSync(shell) }, () =>
        withAgent(
          { print: script },
          async ({ client: unused, program, own, place, cwd, api }) => {
            await unused.hangUp();
            const profile = join(place.home, file);
            mkdirSync(dirname(profile), { recursive: true });
            writeFileSync(profile, text);
            // The CLI would start another shell for its commands, which reads a profile itself.
            const env = { SHELL: shell, CLAUDE_CODE_SHELL: "/bin/bash", ...(isOn && { BOWLINE_SHELL_ENV: "1" }) };
            const client = own(new AcpClient({ ...program({ env }), capabilities: bareCapabilities }));
            await client.prompt(await client.open(cwd), "[[print]] go");
            const [printed = ""] = toolResultTexts(api.requestsOf("print").at(-1) ?? assert.fail("no request"));
            assert.equal(/^from-profile:.*\/opt\/profile\/bin/.test(printed), isOn, printed);
            assert.deepEqual(client.faults({ mayBeOpen: true }), []);
          },
          { env: { BOWLINE_PREWARM: "0" } },
        ),
      );
    }
  }
});
