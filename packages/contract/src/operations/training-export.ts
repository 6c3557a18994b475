import * as z from 'zod';
import { listing } from '../operation.ts';
import * as s from '../shapes.ts';

export const trainingFormats = ['sft', 'dpo', 'reward_model', 'vertex_sft'] as const;

const entry = z.object({
  entity_path: s.entityPath,
  key: s.key,
  version: s.version,
  value: s.anyJson.optional(),
  confidence: s.confidence,
  memory_type: s.memoryType.nullable(),
});

const turn = z.object({ role: z.string(), parts: z.array(z.object({ text: z.string() })) });

/** Every format names the trace; the other members are those of the format, `vertex_sft` with names of its own. */
const example = z
  .looseObject({
    trace_id: z.string(),
    agent_id: s.agentId,
    outcome_type: z.string(),
    task_input: z.string().nullable().optional(),
    context_entries: z.array(entry).optional().meta({ description: '`sft`: what was known.' }),
    decision_entity_path: z.string().nullable().optional(),
    decision_key: z
      .string()
      .nullable()
      .optional()
      .meta({ description: '`sft`: the entry that was written; null: the response.' }),
    decision_value: s.anyJson.optional(),
    prompt: z.string().optional().meta({ description: '`dpo`: the task.' }),
    chosen: z.string().optional().meta({ description: '`dpo`: what the session did that succeeded.' }),
    rejected: z.string().optional().meta({ description: '`dpo`: what the session did that failed.' }),
    rejected_trace_id: z.string().optional(),
    entry: entry.optional().meta({ description: '`reward_model`: an entry that was read.' }),
    label: z.number().min(-1).max(1).optional().meta({ description: '`reward_model`: how it went, from -1 to 1.' }),
    outcome_count: z.int().optional().meta({ description: '`reward_model`: outcomes of the entry when it was read.' }),
    contents: z
      .array(turn)
      .optional()
      .meta({ description: '`vertex_sft`: the task and the tool calls as a conversation.' }),
  })
  .meta({ id: 'TrainingExample', description: 'One example, in the form that is asked for.' });

export const trainingExport = {
  'training.export': listing({
    summary: 'Export examples for training',
    description:
      'JSON Lines, an example each, from the newest sealed sessions on: `sft` (what was known, and what was decided), `dpo` ' +
      '(a session that succeeded and one that failed, with the same task where there are such), `reward_model` (entries that were ' +
      'read, and how it went) or `vertex_sft` (conversations). Secrets are redacted. Lessons that the service writes itself, and ' +
      'agents with the tag `no-training` in their profile, are left out.',
    module: 'training-export',
    effect: 'read',
    cost: 1,
    // Reads sessions in pages.
    items_per_statement: 10,
    http: { method: 'GET', path: '/api/v1/pro/export' },
    cli: { hidden: true },
    input: () =>
      z.strictObject({
        format: z.enum(trainingFormats).default('sft').meta({ description: 'What an example looks like.' }),
        entity_path: s.pathGlob.optional().meta({ description: 'Sessions that read an entry there.' }),
        agent_id: s.agentId.optional().meta({ description: 'Only sessions of this agent.' }),
        min_confidence: s.confidence.default(0.7).meta({ description: 'Entries below it are left out.' }),
        since: s.since,
        until: s.until,
        branch: s.branch.default('main'),
        limit: z.int().min(1).max(1_000_000).optional().meta({ description: 'The most examples. Without it, all.' }),
      }),
    output: () => example,
    errors: ['branch_not_found'],
    example: () => ({ format: 'sft' as const, limit: 100 }),
  }),
};
