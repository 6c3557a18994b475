import * as z from 'zod';
import { behaviorId } from '../behavior-shapes.ts';
import { caseSetId } from '../case-shapes.ts';
import * as f from '../fix-shapes.ts';
import { incidentId } from '../incident-shapes.ts';
import { judgeId } from '../judge-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author, traceId } from '../trace-shapes.ts';
import { entryExample } from './entries.ts';

const example = { fix_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' };
const named = { fix_id: f.fixId };
const why = s.text(4096).default('').meta({ description: 'Why, for the timeline.' });

const correctedEntry = z
  .strictObject({
    entity_path: s.entityPath,
    key: s.key,
    value: s.jsonValue.meta({ description: 'The value that it should have.' }),
  })
  .meta({ id: 'CorrectedEntry' });

/** As for judges and incidents: what fails is a matter of the whole account. */
const about = { module: 'fixes', whole: true } as const;

export const fixes = {
  'fixes.propose': operation({
    summary: 'Propose a fix',
    description:
      'Finds the memory that is to blame for a failed verdict (`trace_id` and `judge_id`), for a behavior or an incident, or takes an entry that outcomes ' +
      'speak against, and corrects it on a branch `repair/<fix_id>`: with the values in `entries`, else with the last version before the ' +
      'blamed one that outcomes do not speak against, else by deleting it. Nothing changes on `main`. Asked again while it is ' +
      'open, it answers with the same fix.',
    ...about,
    effect: 'write',
    cost: 2,
    // What runs read is loaded in parts.
    items_per_statement: 1,
    http: { method: 'POST', path: '/api/v1/eval/fixes', status: 201, location: '/api/v1/eval/fixes/{fix_id}' },
    raw: [['entries', '*', 'value']],
    cli: { args: ['trace_id', 'judge_id'], alias: 'propose-fix', also: ['eval fix'] },
    tools: [
      {
        name: 'mem_propose_fix',
        toolset: 'evaluation',
        description:
          'Correct the memory behind a failure on a branch of its own. Returns instructions to check it; main is not changed.',
        fields: ['trace_id', 'judge_id', 'behavior_id', 'incident_id', 'entity_path', 'key', 'entries', 'policy'],
        unlisted: ['version', 'set_id', 'description'],
        about: {
          trace_id: 'A trace that judge_id failed',
          judge_id: 'The judge that failed it',
          behavior_id: 'Or a behavior',
          incident_id: 'Or an incident',
          entity_path: 'Or an entry that outcomes speak against',
          key: 'Its key',
          entries: '{entity_path, key, value} each; else an earlier version',
          policy: 'after_replay: cases must pass first',
        },
      },
    ],
    input: () =>
      z.strictObject({
        trace_id: traceId.optional().meta({ description: 'A trace that failed, with `judge_id`.' }),
        judge_id: judgeId.optional().meta({ description: 'The judge that failed it.' }),
        behavior_id: behaviorId.optional().meta({ description: 'A behavior that memory is to blame for.' }),
        incident_id: incidentId.optional(),
        entity_path: s.entityPath.optional().meta({ description: 'An entry that outcomes speak against, with `key`.' }),
        key: s.key.optional(),
        version: s.version.optional().meta({ description: 'The version of it that is wrong; the newest if omitted.' }),
        entries: z
          .array(correctedEntry)
          .max(f.MAX_FIXED_ENTRIES)
          .default([])
          .meta({ description: 'Entries on `main` with the values that they should have.' }),
        policy: f.fixPolicy.optional().meta({ description: 'That of the account if omitted, and never less than it.' }),
        set_id: caseSetId
          .optional()
          .meta({ description: 'The regression cases to replay; those of the account if omitted.' }),
        description: s.text(4096).default(''),
        ...author,
      }),
    output: () => f.proposedFix,
    errors: ['conflict', 'not_found', 'looks_like_secret', 'value_too_large', 'module_not_installed'],
    example: () => ({
      ...entryExample,
      entries: [{ ...entryExample, value: { max_attempts: 4, backoff: 'exponential' } }],
    }),
  }),

  'fixes.list': operation({
    summary: 'List fixes',
    description: 'Newest first.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/fixes' },
    cli: { alias: 'fixes', also: ['eval fixes'] },
    tools: [
      {
        name: 'mem_fixes',
        toolset: 'evaluation',
        description: 'Fixes of memory, newest first: what each is for, its branch, and what became of it.',
        fields: ['status', 'limit', 'cursor'],
        limit: 10,
        miss: 'mem_propose_fix',
      },
    ],
    input: () =>
      z.strictObject({
        status: z.enum(f.fixStatuses).optional().meta({ description: 'Only those with this status.' }),
        limit: z.int().min(1).max(100).default(50).meta({ description: 'Page size, 1 to 100.' }),
        cursor: s.cursor,
      }),
    output: () => z.object({ fixes: z.array(f.fix), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({}),
  }),

  'fixes.read': operation({
    summary: 'Read a fix',
    description: 'With the entries that it corrects and why, whether its cases pass, and what happened to it.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/fixes/{fix_id}' },
    cli: { args: ['fix_id'], alias: 'show-fix', also: ['eval show-fix'] },
    input: () => z.strictObject(named),
    output: () => f.wholeFix,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'fixes.read_handover': operation({
    summary: 'Read the hand-over of a fix',
    description:
      'What a coding agent needs to check a fix, in Markdown: what fails, the evidence, the memory that is to blame, what the branch ' +
      'changes, and how to try it. What agents read and wrote is quoted as data, as far as the reader may see it.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/fixes/{fix_id}/handover' },
    cli: { args: ['fix_id'], alias: 'handover', also: ['eval handover'] },
    input: () => z.strictObject(named),
    output: () => z.object({ fix_id: f.fixId, markdown: z.string() }),
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'fixes.read_prevention': operation({
    summary: 'See whether what was fixed came back',
    description:
      'Compares how often runs failed before the fix was approved and since: those that read its entries, as the judge says, or else ' +
      'their outcomes. The newest 1,000 runs before and after are looked at.',
    ...about,
    effect: 'read',
    cost: 1,
    items_per_statement: 10,
    http: { method: 'GET', path: '/api/v1/eval/fixes/{fix_id}/prevention' },
    cli: { args: ['fix_id'], alias: 'prevention', also: ['eval prevention'] },
    input: () => z.strictObject(named),
    output: () => f.fixPrevention,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'fixes.approve': operation({
    summary: 'Approve a fix',
    description:
      'Merges its branch into `main`, as `branches.merge` does with the strategy `THREE_WAY`: conflicts and the protection of `main` count. ' +
      'With the policy `after_replay` it is refused until its regression cases have passed on the branch.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/fixes/{fix_id}/approve' },
    cli: { args: ['fix_id'], alias: 'approve-fix', also: ['eval approve-fix'] },
    tools: [
      {
        name: 'mem_approve_fix_memory',
        toolset: 'evaluation',
        description: 'Merge the corrected entries of a fix into main, for every agent. Check them first.',
        fields: ['fix_id', 'reason'],
        about: { fix_id: 'From mem_fixes', reason: 'Why' },
        miss: 'mem_fixes',
      },
    ],
    input: () => z.strictObject({ ...named, reason: why, ...author }),
    output: () => f.wholeFix,
    errors: [
      ...(['not_found', 'conflict', 'replay_required', 'branch_closed', 'branch_access_denied'] as const),
      ...([
        'merge_conflicts',
        'merge_too_large',
        'entry_quarantined',
        'pull_request_required',
        'module_not_installed',
      ] as const),
    ],
    example: () => example,
  }),

  'fixes.dismiss': operation({
    summary: 'Dismiss a fix',
    description: 'Closes its branch. What was found stays in the list.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/eval/fixes/{fix_id}/dismiss' },
    cli: { args: ['fix_id'], alias: 'dismiss-fix', also: ['eval dismiss-fix'] },
    input: () => z.strictObject({ ...named, reason: why, ...author }),
    output: () => f.wholeFix,
    errors: ['not_found', 'conflict', 'branch_protected', 'module_not_installed'],
    example: () => example,
  }),

  'fixes.read_policy': operation({
    summary: 'See what fixes have to go through',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/fix-policy' },
    cli: { alias: 'fix-policy' },
    input: () => z.strictObject({}),
    output: () => f.policyOfFixes,
    errors: ['module_not_installed'],
    example: () => ({}),
  }),

  'fixes.set_policy': operation({
    summary: 'Say what fixes have to go through',
    description:
      'For fixes that are proposed from then on; those that are open keep theirs. A fix may ask for more and not for less: with ' +
      '`after_replay` none is approved before its regression cases have passed. What is left out stays as it is.',
    ...about,
    admin: true,
    effect: 'write',
    cost: 2,
    http: { method: 'PUT', path: '/api/v1/eval/fix-policy' },
    cli: { args: ['policy'], alias: 'set-fix-policy' },
    input: () => z.strictObject({ policy: f.fixPolicy.optional(), set_id: caseSetId.optional(), ...author }),
    output: () => f.policyOfFixes,
    errors: ['forbidden', 'module_not_installed'],
    example: (n) => ({ policy: 'after_replay' as const, set_id: nth('regression', n) }),
  }),
};
