import * as z from 'zod';
import {
  candidate,
  demotion,
  MAX_PROPOSAL_SOURCES,
  proposal,
  proposalFilter,
  proposalId,
  report,
} from '../consolidation-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author } from '../trace-shapes.ts';

const base = '/api/v1/cortex/consolidation';

const decision = z.enum(['approve', 'reject']).meta({ description: 'What becomes of the proposal.' });

export const consolidation = {
  'consolidation.run': operation({
    summary: 'Consolidate memory',
    description:
      'Looks at what was written and judged since the last run of the same agent, key scope and path: exact and near ' +
      'duplicates, beliefs that a validated fact has overtaken, contradictions between agents, and what is stale and was never ' +
      'read. Harmless steps are done: an untested entry is demoted, never deleted, and `entries.confidence` says why. The rest ' +
      'becomes proposals. `dry_run` runs for real, whatever it is; `preview` shows what a run would do first and changes ' +
      'nothing. A long run goes on in the background; one at a time for an account.',
    module: 'consolidation',
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/cortex/consolidate' },
    cli: { alias: 'consolidate' },
    tools: [
      {
        name: 'mem_consolidate',
        toolset: 'data',
        description:
          'Tidy memory: demote stale entries and duplicates, propose the rest. dry_run also runs; preview only looks.',
        fields: ['entity_path', 'preview', 'dry_run', 'branch'],
        about: { entity_path: 'Path or a/**', preview: 'Change nothing', dry_run: 'Ignored: runs for real' },
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional().meta({ description: 'Only entries there; default: everything.' }),
        branch: s.branch.default('main'),
        dry_run: z.boolean().default(true).meta({ description: 'Has no effect: a run is real either way.' }),
        preview: z.boolean().default(false).meta({ description: 'Show what a run would do, and change nothing.' }),
        ...author,
      }),
    output: () =>
      report.extend({
        demotions: z.array(demotion).meta({ description: 'Of the first step.' }),
        candidates: z.array(candidate).meta({ description: 'Of a preview; a run stores them as proposals.' }),
      }),
    errors: ['branch_not_found', 'conflict', 'branch_read_only'],
    example: () => ({ entity_path: 'checkout/**' }),
  }),

  'consolidation.status': operation({
    summary: 'Show how consolidation stands',
    description:
      'Counts runs and demotions of the same agent and key scope (those of others may be about what is private), and proposals that ' +
      'the caller may see.',
    module: 'consolidation',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: `${base}/status` },
    cli: { alias: 'consolidation' },
    tools: [
      {
        name: 'mem_consolidation_status',
        toolset: 'data',
        description: 'How far the last consolidation came, and how many proposals wait.',
        fields: [],
      },
    ],
    input: () => z.strictObject({}),
    output: () =>
      z
        .object({
          consolidation_runs: z.int(),
          auto_archived: z.int(),
          pending_proposals: z.int(),
          entities_ready: z
            .array(z.string())
            .meta({ description: 'Up to ten paths with ten entries or more, of the first thousand paths.' }),
          running: z.boolean(),
          last_run: report.nullable().meta({ description: 'The newest run of this agent and key scope.' }),
        })
        .meta({ id: 'ConsolidationStatus' }),
    errors: [],
    example: () => ({}),
  }),

  'consolidation.proposals': operation({
    summary: 'List proposals',
    description: 'Newest first. A proposal with a source that the caller may not see is left out, and not counted.',
    module: 'consolidation',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: `${base}/proposals` },
    cli: { alias: 'proposals' },
    tools: [
      {
        name: 'mem_consolidation_proposals',
        toolset: 'data',
        description: 'Proposals to merge entries: sources, proposed value, reason.',
        fields: ['status', 'entity_path', 'limit', 'cursor'],
        about: { status: 'pending, approved, rejected, all', entity_path: 'Path or a/**' },
        limit: 20,
        previews: true,
        miss: 'mem_consolidate, which makes them',
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional().meta({ description: 'Where the kept entry is.' }),
        status: proposalFilter,
        limit: z.int().min(1).max(100).default(20).meta({ description: 'Page size, 1 to 100.' }),
        cursor: s.cursor,
      }),
    output: () => z.object({ proposals: z.array(proposal), total: z.int(), ...s.page }),
    errors: ['invalid_cursor', 'log_rewound'],
    example: () => ({}),
  }),

  'consolidation.candidates': operation({
    summary: 'List what a run would propose at a path',
    description: 'Computed now from the first entries there; nothing is stored.',
    module: 'consolidation',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: `${base}/candidates` },
    cli: { args: ['entity_path'], alias: 'candidates' },
    tools: [
      {
        name: 'mem_consolidation_candidates',
        toolset: 'data',
        description: 'What consolidation would propose at a path, without storing it.',
        fields: ['entity_path', 'limit', 'branch'],
        about: { entity_path: 'Path or a/**' },
        limit: 20,
        previews: true,
        miss: 'another path, or mem_consolidation_proposals for what was proposed already',
      },
    ],
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob,
        branch: s.branch.default('main'),
        limit: z.int().min(1).max(100).default(20).meta({ description: 'The most candidates, 1 to 100.' }),
      }),
    output: () =>
      z.object({
        entity_path: s.pathGlob,
        proposals: z.array(candidate),
        truncated: z.boolean().meta({ description: 'There are more entries, or more candidates.' }),
      }),
    errors: ['branch_not_found'],
    example: () => ({ entity_path: 'checkout/**' }),
  }),

  'consolidation.propose': operation({
    summary: 'Propose to merge entries',
    description:
      'For an agent that knows better than the rules: the first source is kept, with the given value or its own, and the ' +
      'others are removed if somebody approves.',
    module: 'consolidation',
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: `${base}/proposals`, status: 201, location: `${base}/proposals/{proposal_id}` },
    raw: [['value']],
    cli: { args: ['sources'], alias: 'propose' },
    tools: [
      {
        name: 'mem_propose_consolidation',
        toolset: 'data',
        description: 'Propose one entry in place of several; the first source is kept.',
        fields: ['sources', 'value', 'rationale', 'branch'],
        about: { sources: '{entity_path, key} each, the kept one first', value: 'What it shall say', rationale: 'Why' },
      },
    ],
    input: () =>
      z.strictObject({
        sources: z
          .array(z.strictObject({ entity_path: s.entityPath, key: s.key }))
          .min(2)
          .max(MAX_PROPOSAL_SOURCES),
        value: s.jsonValue.optional().meta({ description: 'At most 64 KiB; default: what the first source says.' }),
        rationale: s.text(4096).default(''),
        branch: s.branch.default('main'),
        ...author,
      }),
    output: () => proposal,
    errors: ['not_found', 'branch_not_found', 'branch_read_only', 'conflict', 'value_too_large'],
    example: () => ({
      sources: [
        { entity_path: 'checkout/payments', key: 'retry-policy' },
        { entity_path: 'checkout/payments', key: 'imported-note' },
      ],
      value: { max_attempts: 3, backoff: 'exponential' },
      rationale: 'Both are about retries, and the note is newer.',
    }),
  }),

  'consolidation.decide': operation({
    summary: 'Approve or reject a proposal',
    description:
      'Approval keeps one source, with the proposed value, and deletes the others, all or nothing; a deleted entry can be ' +
      'restored. If a source has changed since, 409 and nothing changes. Needs WRITE on the paths of all sources. The same ' +
      'decision again changes nothing.',
    module: 'consolidation',
    effect: 'write',
    cost: 2,
    removes: 'consolidation.propose',
    http: { method: 'POST', path: `${base}/proposals/{proposal_id}/{decision}` },
    cli: { args: ['proposal_id', 'decision'], alias: 'decide' },
    tools: [
      {
        name: 'mem_decide_proposal',
        toolset: 'data',
        description: 'Approve or reject a proposal of mem_consolidation_proposals.',
        fields: ['proposal_id', 'decision'],
        about: { decision: 'approve or reject' },
      },
    ],
    input: () => z.strictObject({ proposal_id: proposalId, decision, ...author }),
    output: () => proposal,
    errors: ['not_found', 'conflict', 'version_conflict', 'contract_violated'],
    example: () => ({ proposal_id: '01hzy3v9k2t4w6x8y0abcdefgh', decision: 'reject' as const }),
  }),
};
