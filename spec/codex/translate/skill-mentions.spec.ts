/**
 * Mentions of skills in text that the user did not write.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mentionsSkill, withoutSkillMentions } from "../../../lib/codex/translate/index.ts";

const skills = new Set(["pdf", "tools:pdf", "skill-installer"]);

/** What Codex 0.166 takes for a mention of a skill, tried with it. */
const mentions: Readonly<Record<string, string>> = {
  "use $pdf now": "use ${pdf} now",
  "$pdf.x $pdf/ x$pdf $$pdf \\$pdf `$pdf`": "${pdf}.x ${pdf}/ x${pdf} $${pdf} \\${pdf} `${pdf}`",
  "```\n$pdf\n```": "```\n${pdf}\n```",
  "$tools:pdf and $skill-installer": "${tools:pdf} and ${skill-installer}",
  "[$other](/home/dev/.codex/skills/pdf/SKILL.md)": "[${other}](/home/dev/.codex/skills/pdf/SKILL.md)",
  "[$other] \n ( skill:///home/dev/pdf/SKILL.md )": "[${other}] \n ( skill:///home/dev/pdf/SKILL.md )",
  "$pdf\u0301": "${pdf}\u0301",
};

describe("withoutSkillMentions", () => {
  it("withoutSkillMentions leaves no mention of a skill", () => {
    for (const [text, without] of Object.entries(mentions)) {
      assert.equal(withoutSkillMentions(text, skills), without);
      assert.ok(mentionsSkill(text), text);
    }
  });

  it("withoutSkillMentions leaves every other text as it is", () => {
    for (const text of ["echo $HOME $pdfs $PDF ${pdf} $ pdf $-1", "$a[$i] = $b", "costs 5$", "", "pdf"]) {
      assert.equal(withoutSkillMentions(text, skills), text);
    }
  });

  it("withoutSkillMentions leaves nothing that could be a mention when the skills are not known", () => {
    assert.equal(withoutSkillMentions("echo $HOME and $pdf", undefined), "echo ${HOME} and ${pdf}");
  });

  it("withoutSkillMentions takes time proportional to the text", () => {
    const text =
      `[$a${"]".repeat(10)}`.repeat(50_000) + "$".repeat(200_000) + "[$a]".repeat(50_000) + " ".repeat(100_000);
    const from = performance.now();
    withoutSkillMentions(text, skills);
    assert.ok(performance.now() - from < 5000);
  });
});
