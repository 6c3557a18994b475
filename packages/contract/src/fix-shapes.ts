import * as z from 'zod';
import { behaviorId } from './behavior-shapes.ts';
import { caseSetId } from './case-shapes.ts';
import { failureRate } from './failure-shapes.ts';
import { incidentId } from './incident-shapes.ts';
import { judgeId } from './judge-shapes.ts';
import * as s from './shapes.ts';
import { traceId } from './trace-shapes.ts';

/** What a person looks at before they approve it. */
export const MAX_FIXED_ENTRIES = 20;

export const fixId = s.label(64).meta({ description: 'Which fix.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });

export const fixStatuses = ['proposed', 'approved', 'dismissed'] as const;
export const fixPolicies = ['review', 'after_replay'] as const;
export const fixSources = ['verdict', 'behavior', 'incident', 'entry'] as const;
export const fixActions = ['restore', 'replace', 'delete'] as const;

export const fixPolicy = z.enum(fixPolicies).meta({
  description:
    '`review`: somebody approves it. `after_replay`: and only after the regression cases of `set_id` have passed on its branch.',
});

const fixSource = z
  .object({
    kind: z.enum(fixSources),
    judge_id: judgeId.nullable(),
    trace_id: traceId.nullable().meta({ description: 'Null where the trace is gone, too.' }),
    behavior_id: behaviorId.nullable().meta({ description: 'Of an incident, too, that a behavior opened.' }),
    incident_id: incidentId.nullable(),
    entity_path: s.entityPath.nullable(),
    key: s.key.nullable(),
    version: s.version.nullable(),
  })
  .meta({ id: 'FixSource', description: 'What it was proposed from; what does not belong to its kind is null.' });

export const policyOfFixes = z
  .object({
    policy: fixPolicy,
    set_id: caseSetId.meta({ description: 'The regression cases to replay, unless a fix names others.' }),
    agent_id: s.agentId.nullable().meta({ description: 'Who last set it; null where nobody has.' }),
    updated_at: s.utc.nullable(),
  })
  .meta({ id: 'PolicyOfFixes', description: 'What fixes of the account have to go through.' });

const lift = z.object({ ratio: z.number(), low: z.number(), high: z.number() });

export const fixedEntry = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    blamed_version: s.version.meta({ description: 'The version that is to blame, on `main`.' }),
    blamed_author: s.agentId.nullable().meta({ description: 'Who wrote it; null where that was erased.' }),
    blamed_at: s.utc.nullable(),
    action: z.enum(fixActions).meta({
      description: '`restore`: an earlier version again. `replace`: another value. `delete`: there was no better one.',
    }),
    restored_version: s.version.nullable().meta({ description: 'The earlier version, on `main`.' }),
    branch_version: s.version.meta({ description: 'The version on the branch that does so.' }),
    reason: z.string().meta({ description: 'Why this version is to blame, and why it is changed so.' }),
    runs: z
      .object({ with_it: failureRate, without_it: failureRate, lift, p: z.number() })
      .nullable()
      .meta({ description: 'How often runs failed that read it, and others; null where runs say nothing about it.' }),
    ledger: z
      .object({ successes: z.int(), failures: z.int(), confidence_change: z.number() })
      .meta({ description: 'What the newest outcomes that rested on this version did to the entry.' }),
  })
  .meta({ id: 'FixedEntry', description: 'An entry that a fix corrects.' });

const fields = {
  fix_id: fixId,
  status: z.enum(fixStatuses),
  policy: fixPolicy,
  source: fixSource,
  branch: s.branch.meta({ description: 'Has the corrected entries.' }),
  set_id: caseSetId.meta({ description: 'The regression cases to replay.' }),
  summary: z.string().meta({ description: 'What fails, in a sentence.' }),
  description: z.string(),
  entry_count: z.int(),
  first_entry: z
    .object({ entity_path: s.entityPath, key: s.key })
    .optional()
    .meta({ description: 'The first entry that it corrects and the reader may see.' }),
  agent_id: s.agentId.meta({ description: 'Who proposed it.' }),
  decided_by: s.agentId.nullable().meta({ description: 'Who approved or dismissed it.' }),
  decision: z.string().meta({ description: 'Why.' }),
  decided_at: s.utc.nullable(),
  merge_id: z.string().nullable().meta({ description: 'The merge of its branch.' }),
  case_run_id: z.string().nullable().meta({ description: 'The run of cases that it was approved after.' }),
  created_at: s.utc,
};

export const fix = z.object(fields).meta({ id: 'Fix', description: 'A repair of memory, on a branch of its own.' });

const fixReplay = z
  .object({
    cases: z.int().meta({ description: 'How many cases the set has.' }),
    case_run_id: z.string().nullable().meta({ description: 'The newest run of them on the branch.' }),
    passed: z.boolean().meta({ description: 'Whether all of them passed there, as they and the branch are now.' }),
    reason: z.string(),
  })
  .meta({ id: 'FixReplay' });

const fixEvent = z
  .object({
    change: z.enum(['proposed', 'replayed', 'approved', 'dismissed']),
    agent_id: s.agentId.meta({ description: 'Who did it.' }),
    reason: z.string(),
    case_run_id: z.string().nullable(),
    created_at: s.utc,
  })
  .meta({ id: 'FixChange' });

export const wholeFix = z
  .object({
    ...fields,
    entries: z.array(fixedEntry).meta({ description: 'Those that the reader may see.' }),
    replay: fixReplay,
    timeline: z.array(fixEvent).meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'WholeFix', description: 'A fix with its entries and its timeline.' });

export const proposedFix = z
  .object({
    ...wholeFix.shape,
    handover: z.string().meta({ description: 'The same for a coding agent, in Markdown; see `fixes.read_handover`.' }),
  })
  .meta({ id: 'ProposedFix' });

const counted = failureRate.nullable();

export const fixPrevention = z
  .object({
    fix_id: fixId,
    approved_at: s.utc.nullable(),
    came_back: z.boolean().nullable().meta({ description: 'Null: it is not known, or not yet.' }),
    reason: z.string().meta({ description: 'Why, with all numbers.' }),
    of: z.enum(['readers', 'all']).meta({
      description: 'Which runs are compared: those that read the entries, or all, where the fix deleted one.',
    }),
    before: counted.meta({
      description: 'Runs before it was approved: of readers, those that read the blamed versions.',
    }),
    after: counted.meta({ description: 'Runs since.' }),
    usual: counted.meta({ description: 'Runs before it was approved that did not read the blamed versions.' }),
    chance: z
      .number()
      .nullable()
      .meta({ description: 'How probable so many more failures before are if nothing changed (one-sided, Fisher).' }),
    trace_ids: z.array(z.string()).meta({ description: 'Up to five of the newest runs that failed since.' }),
  })
  .meta({ id: 'FixPrevention', description: 'Whether what a fix repaired came back.' });
