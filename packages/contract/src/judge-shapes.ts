import * as z from 'zod';
import { MAX_CHECKS, traceCheck } from './check-shapes.ts';
import * as s from './shapes.ts';
import { slug } from './slug.ts';
import { recordedCall, traceId } from './trace-shapes.ts';

export * from './check-shapes.ts';

/** The dots of a verdict's id are around that of its judge. */
export const judgeId = slug('a judge', 'no-failed-tools').meta({ id: 'JudgeId' });

export const rubricItem = z
  .strictObject({
    name: s.label(128),
    weight: z.number().min(0.01).max(100).default(1),
    required: z.boolean().default(false).meta({ description: 'Without it the trace fails, however high the score.' }),
    check: traceCheck,
  })
  .meta({ id: 'RubricItem' });

export const judgeKinds = ['code', 'rubric', 'llm'] as const;
export const judgeStatuses = ['active', 'draft', 'archived'] as const;

const passAt = (usual: number) =>
  z.number().min(0).max(1).default(usual).meta({ description: 'The least score, 0 to 1, with which a trace passes.' });

const when = traceCheck
  .optional()
  .meta({ description: 'Only traces of which this holds are judged; others are skipped.' });

const byCode = z.strictObject({
  kind: z.literal('code'),
  when,
  checks: z.array(traceCheck).min(1).max(MAX_CHECKS).meta({ description: 'All of these have to hold.' }),
});
const byRubric = z.strictObject({
  kind: z.literal('rubric'),
  when,
  items: z.array(rubricItem).min(1).max(MAX_CHECKS),
  pass_at: passAt(0.7),
});
const byModel = z.strictObject({
  kind: z.literal('llm'),
  when,
  prompt: s.text(8192).min(1).meta({ description: 'What a run has to be like, in words for a language model.' }),
  model: s
    .label(200)
    .optional()
    .meta({ description: 'One of those that the operator offers; the usual one where it is left out.' }),
  pass_at: passAt(0.5),
});

/** What needs no model: checks alone. */
export const checkedDefinition = z.discriminatedUnion('kind', [byCode, byRubric]).meta({ id: 'CheckedDefinition' });

/** What a judge looks for; the kind says in which manner. */
export const judgeDefinition = z
  .discriminatedUnion('kind', [byCode, byRubric, byModel])
  .meta({ id: 'JudgeDefinition' });

export const samplingRate = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'The share of new traces that is judged; which they are follows from their ids.' });

export const evidenceWeight = z.number().min(0).max(1).meta({
  description:
    'How much a verdict moves the confidence in the entries that its trace read: 0 for not at all, 1 for as much as a plain success.',
});

/** What a judge is for: with neither, every trace. */
export const judgeTarget = {
  for_agent: s.agentId.nullable().meta({ description: 'Only traces of this agent; null for all.' }),
  for_path: s.pathGlob.nullable().meta({ description: 'Only traces that read an entry there; null for all.' }),
};

export const judge = z
  .object({
    judge_id: judgeId,
    version: z.int().meta({ description: 'The newest, or the one that was asked for.' }),
    name: z.string(),
    description: z.string(),
    status: z.enum(judgeStatuses).meta({
      description: '`active`: new traces are judged. `draft`: only when asked to. `archived`: no longer.',
    }),
    ...judgeTarget,
    definition: judgeDefinition,
    sampling_rate: samplingRate,
    evidence_weight: evidenceWeight,
    agent_id: s.agentId.meta({ description: 'Who defined this version.' }),
    created_at: s.utc.meta({ description: 'When this version was defined.' }),
    updated_at: s.utc.meta({ description: 'When anything about the judge last changed.' }),
  })
  .meta({ id: 'Judge', description: 'What looks at traces and says whether they went well.' });

export const verdictResults = ['pass', 'fail', 'error', 'skipped'] as const;

export const verdictMemory = z
  .object({ entity_path: s.entityPath, key: s.key, branch: s.branch, version: s.version })
  .meta({ id: 'VerdictMemory', description: 'An entry in the version that was read.' });

/** What a judge finds in a trace. */
export const finding = {
  result: z.enum(verdictResults).meta({
    description:
      '`skipped`: it does not apply, or what it needs is not known. `error`: the judge failed, not the trace.',
  }),
  score: z.number().nullable().meta({ description: '0 to 1; null where there is none.' }),
  reason: z.string(),
  span_ids: z.array(z.string()).meta({ description: 'The spans that it rests on.' }),
  memory: z.array(verdictMemory).meta({ description: 'The memory that it rests on.' }),
};

export const modelCall = z
  .object({
    ...recordedCall.shape,
    provider: z.string().meta({ description: 'Whose server it is, or `openai-compatible`.' }),
    cost_usd: z.number().nullable().meta({ description: 'Null where it is not known.' }),
    latency_ms: z.int(),
    started_at: s.utc,
    error: z.string().nullable().meta({
      description:
        'Why there was no usable answer, such as `unusable`, `refused`, `failed` or `budget_spent`; null where there was one.',
    }),
    attempts: z.int().meta({ description: 'How often it was asked; 0 where the budget was spent.' }),
  })
  .meta({
    id: 'ModelCall',
    description: 'A call of a language model as a trace records one, with what all attempts took.',
  });

const itsModelCall = modelCall.nullable().meta({ description: 'Null where no model was to be asked.' });

/** What a judge would find in a trace. */
export const dryRunResult = z
  .object({ trace_id: z.string(), ...finding, partial: z.boolean(), model_call: itsModelCall })
  .meta({ id: 'DryRunResult', description: 'What the judge would find in a trace.' });

export const humanVerdict = z
  .object({
    result: z.enum(['pass', 'fail']),
    reason: z.string(),
    agent_id: s.agentId.meta({ description: 'Who gave it.' }),
    created_at: s.utc,
  })
  .meta({ id: 'HumanVerdict', description: 'What a person found: it overrules the judge.' });

export const verdictId = s
  .text(200)
  .min(1)
  .meta({
    description: 'Names a verdict: its trace, judge and version, with dots between them.',
    examples: ['01hzy3v9k2m8q4w6x0c5b7n1dp.no-failed-tools.1'],
  });

export const verdict = z
  .object({
    verdict_id: verdictId,
    trace_id: traceId,
    judge_id: judgeId,
    judge_version: z.int(),
    agent_id: s.agentId.meta({ description: 'Whose trace it is.' }),
    ...finding,
    judge_result: z.enum(verdictResults).meta({ description: 'What the judge itself found.' }),
    human: humanVerdict.nullable(),
    partial: z.boolean().meta({ description: 'The trace was too large to be judged whole.' }),
    cost_usd: z
      .number()
      .nullable()
      .meta({ description: 'What the model cost; null where that is not known, or none was asked.' }),
    model_call: itsModelCall,
    traced_at: s.utc.meta({ description: 'When the trace was sealed.' }),
    created_at: s.utc.meta({ description: 'When it was judged.' }),
  })
  .meta({ id: 'Verdict', description: 'What a version of a judge found in a trace, once.' });

/** A share of some cases. */
export const rate = z
  .object({
    rate: z.number().nullable().meta({ description: 'Null of no cases.' }),
    low: z.number(),
    high: z.number(),
    count: z.int(),
    of: z.int(),
  })
  .meta({
    id: 'Rate',
    description: '`count` of `of` cases; with 95 % confidence the true share is between `low` and `high`.',
  });

export type JudgeDefinition = z.output<typeof judgeDefinition>;
export type CheckedDefinition = z.output<typeof checkedDefinition>;
export type ModelDefinition = z.output<typeof byModel>;
export type JudgeModelCall = z.output<typeof modelCall>;
export type VerdictResult = (typeof verdictResults)[number];
