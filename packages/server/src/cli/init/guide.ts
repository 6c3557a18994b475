import type { GuideFile } from './clients.ts';

/** The short guide, for files that an agent reads at every start: only enough to make it use memory. */
const guide = `## Memory (mem)

The \`mem\` tools keep what outlives a conversation and is shared with other agents.

- Before a task: \`mem_briefing\` with the project as \`entity_path\`, then ask \`mem_retrieve\` in a sentence
  (\`mem_search\` finds exact words), and read what fits. Outcomes decide what it is: \`untested\` (a claim),
  \`validated\` (it worked), \`contested\` (it also failed), \`discredited\` (refuted: do not rely on it).
- While working: \`mem_write\` what will matter again, one subject per key. Begin \`entity_path\` with the name of the
  project, then the part: \`shop/payments\`. Facts apart from beliefs, no secrets.
- When an approach fails: \`mem_record_attempt\`. What you rely on from elsewhere: \`mem_record_context\`.
- When a task is done or has failed: \`mem_commit_outcome\` with a reference, how it went, and in \`used\`
  the hits that helped.`;

const skill = `# Working with memory

## Begin

1. \`mem_briefing\` with \`entity_path: "<project>"\`: what held up, what failed, what changed, whom to ask.
2. Ask \`mem_retrieve\` about the task in a sentence; \`mem_search\` finds exact words. \`entity_path: "<project>"\` with
   \`include_descendants: true\` keeps to a project and everything below it (\`<project>/**\` is only what is below);
   \`mem_list\` with both shows all of it.
3. \`mem_read\` what fits. Look at \`confidence\` (0 to 1) and \`evidence_status\`, which outcomes move: \`untested\` is a claim
   that no outcome has tried, \`validated\` has led to good results, \`contested\` to bad ones too, so check it first;
   \`discredited\` was refuted by failures: do not rely on it, and write what is right.
4. Say in a line or two what memory knows and what you take from it.

## Write

- \`entity_path\` names the subject, project first (\`shop/payments\`); \`key\` names the statement (\`retry-policy\`).
- \`memory_type\`: \`fact\` (checked), \`belief\` (a guess, say why), \`experience\` (what happened), \`procedure\` (how to).
- Write the key again to change an entry: the old version is kept. Never write secrets.
- \`mem_delete\` what is wrong or unwanted; \`mem_restore\` brings it back.

## While working

- \`mem_record_context\` for tickets, logs and pages you rely on, \`mem_record_action\` for what you did.
- \`mem_record_attempt\` when an approach fails and you try another: what you read for it answers for it.

## End

- \`mem_commit_outcome\` with \`outcome_ref\` (a pull request, a ticket, a few words), \`outcome_type\` (\`success\`,
  \`minor_failure\`, \`failure\`, \`critical_failure\`) as it really went, \`task_input\` and \`response_text\`. Name in
  \`used\` what helped of what you found and read. It seals the session, and the confidence of that follows.`;

const heads: Readonly<Record<GuideFile['kind'], string>> = {
  block: '',
  skill: `---
name: mem
description: Use long-term memory shared with other agents. Look things up before a task, save what was learnt, and commit the outcome at the end. Use when a task begins or ends, when the user says remember, recall or what do we know about, or when an approach has failed.
---
`,
  rule: `---
description: Long-term memory shared with other agents
alwaysApply: true
---
`,
  instructions: `---
applyTo: '**'
---
`,
};

/** The head of a file that is wholly ours, and the block in it. */
export const guideOf = (kind: GuideFile['kind']): { head: string; content: string } => ({
  head: heads[kind],
  content: kind === 'skill' ? skill : guide,
});
