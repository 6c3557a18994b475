import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { damagedParts } from './drafts.ts';

const address = s.address;
const entryErrors = ['not_found', 'branch_not_found'] as const;
const example = { entity_path: 'checkout/payments', key: 'retry-policy' };

const measure = z.number().nullable().optional();
/** Measures; an answer contains those of the requested `op`. */
const measures = {
  count: z.int().optional(),
  n: z.int().optional().meta({ description: 'How many numbers there were.' }),
  sum: measure,
  mean: measure,
  min: measure,
  max: measure,
};

/** Operations that inspect or remove whole entries. */
export const entryMaintenance = {
  'entries.diff': operation({
    summary: 'Compare two versions field by field',
    description: 'By default the current version with the one before it. Paths are JSON Pointers (RFC 6901).',
    module: 'entries',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
    http: { method: 'POST', path: '/api/v1/diff' },
    cli: { args: ['entity_path', 'key'], alias: 'diff-versions' },
    tools: [
      {
        name: 'mem_diff',
        toolset: 'data',
        description: 'Compare two versions of an entry field by field; by default the last two.',
        fields: ['entity_path', 'key', 'old_version', 'new_version', 'branch'],
        about: {
          entity_path: 'Path',
          key: 'Key',
          old_version: 'Default: the one before',
          new_version: 'Default: current',
        },
        miss: 'mem_history to see which versions there are',
      },
    ],
    input: () => z.strictObject({ ...address, old_version: s.version.optional(), new_version: s.version.optional() }),
    output: () =>
      z.object({
        entity_path: s.entityPath,
        key: s.key,
        branch: s.branch,
        old_version: z.int().nullable(),
        new_version: z.int(),
        diff_type: z.enum(['added', 'modified', 'deleted', 'unchanged']),
        changes: z.array(
          z
            .object({
              path: z.string(),
              operation: z.enum(['add', 'remove', 'replace']),
              old_value: s.anyJson.optional(),
              new_value: s.anyJson.optional(),
            })
            .meta({ id: 'Change' }),
        ),
      }),
    errors: entryErrors,
    example: () => example,
  }),

  'entries.erase': operation({
    summary: 'Erase entries for good',
    description:
      'For privacy: removes every version of every matching entry, with their index rows, counts, stored answers and the ' +
      'names in the log; what is erased from `main` is erased from every branch that the key may write to, with an admin key from all. ' +
      'Nothing brings them back. Try `dry_run` first.',
    module: 'entries',
    effect: 'write',
    cost: 2,
    erases: true,
    removes: 'entries.write',
    needs_notes: 'of the whole account',
    http: { method: 'POST', path: '/api/v1/erase' },
    cli: { args: ['entity_path', 'key'], alias: 'erase' },
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob,
        key: s.key.optional(),
        branch: s.branch.default('main'),
        dry_run: z.boolean().default(false),
        agent_id: s.agentId.optional(),
        session_id: s.sessionId.optional(),
      }),
    output: () =>
      z
        .object({
          dry_run: z.boolean(),
          entity_path: s.pathGlob,
          key: s.key.nullable(),
          erased: z
            .object({
              entries: z.int(),
              versions: z.int(),
              index_rows: z.int(),
              log_events: z.int(),
              stored_answers: z.int(),
              commits: z.int(),
              session_records: z.int(),
              evidence: z.int(),
              trace_parts: z.int(),
              edges: z.int(),
            })
            .meta({ description: 'What was removed, or would be.' }),
          receipt_id: z
            .string()
            .nullable()
            .meta({ description: 'Names the erasure in the log and in the audit trail.' }),
          erased_at: s.utc.nullable(),
        })
        .meta({ id: 'EraseReceipt' }),
    errors: ['branch_not_found', 'module_not_installed'],
    example: () => ({ entity_path: 'users/4711/**', dry_run: true }),
  }),

  'agents.erase': operation({
    summary: 'Erase an agent with all it wrote and did',
    description:
      'For privacy: the entries it wrote, private ones too, its sessions, traces, profile, timeline and edges go. What its ' +
      'outcomes did to entries of others stays, under an anonymous name. Entries that others wrote versions of as ' +
      'well stay whole unless `with_others`. Nothing brings back what is gone. Try `dry_run` first.',
    module: 'agents',
    effect: 'write',
    cost: 2,
    admin: true,
    whole: true,
    erases: true,
    removes: 'entries.write',
    needs_notes: 'of the whole account',
    http: { method: 'POST', path: '/api/v1/admin/agents/{agent_id}/erase' },
    cli: { args: ['agent_id'], alias: 'erase-agent' },
    input: () =>
      z.strictObject({
        agent_id: s.agentId.meta({ description: 'The agent to erase.' }),
        with_others: z
          .boolean()
          .default(false)
          .meta({ description: 'Erase also entries of which others wrote versions, with those versions.' }),
        dry_run: z.boolean().default(false),
      }),
    output: () =>
      z
        .object({
          receipt_id: z
            .string()
            .nullable()
            .meta({ description: 'Names the erasure in the log and in the audit trail.' }),
          dry_run: z.boolean(),
          agent_id: s.agentId,
          erased: z
            .object({
              entries: z.int(),
              versions: z.int(),
              sessions: z.int(),
              traces: z.int(),
              log_events: z.int(),
              edges: z.int(),
              profiles: z.int(),
              outcomes: z.int().meta({ description: 'That lose their author and texts.' }),
              commits: z.int().meta({ description: 'That lose their author and message.' }),
              audit_lines: z.int().meta({ description: 'That lose their agent, and stay in the chain.' }),
            })
            .meta({ description: 'What was removed, or would be.' }),
          left_with_others: z
            .int()
            .meta({ description: 'Entries that stay because others wrote versions of them too.' }),
          erased_at: s.utc.nullable(),
        })
        .meta({ id: 'EraseAgentReceipt' }),
    errors: ['forbidden', 'module_not_installed'],
    example: () => ({ agent_id: 'agent/support-4711', dry_run: true }),
  }),

  'entries.aggregate': operation({
    summary: 'Reduce entries to numbers',
    description:
      'Rows are the values of the entries at a path; a list value gives one row an element, `row_path` names a list inside ' +
      'the value. Only numbers (and numeric strings) are counted in; nothing is taken as zero.',
    module: 'entries',
    effect: 'read',
    cost: 1,
    in_room: 'paths',
    http: { method: 'POST', path: '/api/v1/aggregate' },
    cli: { args: ['entity_path'], alias: 'aggregate' },
    tools: [
      {
        name: 'mem_aggregate',
        toolset: 'core',
        description: 'Count, sum or average values at a path.',
        fields: ['entity_path', 'include_descendants', 'op', 'field', 'group_by', 'branch'],
        unlisted: ['row_path'],
        miss: 'entity_path with include_descendants; mem_list shows what is there',
        about: {
          entity_path: 'Path or glob',
          include_descendants: 'And what is below',
          op: 'Default count; others need field',
          field: 'Dotted path in the value',
          group_by: 'As field',
        },
      },
    ],
    input: () =>
      z
        .strictObject({
          entity_path: s.pathGlob,
          include_descendants: s.includeDescendants,
          branch: s.branch.default('main'),
          op: z.enum(['count', 'sum', 'mean', 'min', 'max', 'stats']).default('count'),
          field: z.string().min(1).max(512).optional().meta({ description: 'Dotted path; required unless counting.' }),
          group_by: z.string().min(1).max(512).optional(),
          row_path: z.string().min(1).max(512).optional(),
        })
        .refine((input) => input.op === 'count' || input.field !== undefined, {
          message: 'is required unless op is count',
          path: ['field'],
        }),
    output: () =>
      z.object({
        entity_path: s.pathGlob,
        op: z.string(),
        field: z.string().nullable(),
        row_path: z.string().nullable(),
        total_rows: z.int(),
        entries_scanned: z.int(),
        ...measures,
        group_by: z.string().optional(),
        groups: z.array(z.object({ key: z.string(), ...measures })).optional(),
      }),
    errors: ['branch_not_found'],
    example: () => ({ entity_path: 'checkout/payments', op: 'stats' as const, field: 'max_attempts' }),
  }),

  'entries.verify': operation({
    summary: 'Verify stored versions',
    description:
      'Recomputes the hash of each value and the chain of each entry. Goes through `limit` versions a call; follow ' +
      '`next_cursor` to cover all.',
    module: 'entries',
    effect: 'read',
    cost: 1,
    http: { method: 'POST', path: '/api/v1/verify' },
    cli: { args: ['entity_path'], alias: 'verify' },
    tools: [
      {
        name: 'mem_verify',
        toolset: 'data',
        description: 'Check that stored versions are what was written: hashes and chains.',
        fields: ['entity_path', 'limit', 'cursor', 'branch'],
        about: { entity_path: 'Path or glob' },
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional(),
        branch: s.branch.default('main'),
        limit: z.int().min(1).max(100_000).default(10_000),
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        total_checked: z.int(),
        valid: z.int(),
        corrupted: z.array(
          z.object({
            entity_path: s.entityPath,
            key: s.key,
            version: z.int(),
            expected_hash: z.string(),
            actual_hash: z.string(),
          }),
        ),
        chain_breaks: z.array(
          z.object({
            entity_path: s.entityPath,
            key: s.key,
            version: z.int(),
            reason: z.enum(['missing_version', 'chain_mismatch', 'head_mismatch']),
            expected_chain: z.string().nullable(),
            actual_chain: z.string().nullable(),
          }),
        ),
        damaged: damagedParts.optional(),
        ...s.page,
      }),
    errors: ['branch_not_found', 'invalid_cursor', 'log_rewound'],
    example: () => ({ entity_path: 'checkout/**' }),
  }),
};
