import * as z from 'zod';
import * as s from './shapes.ts';
import { outcomeType, traceId } from './trace-shapes.ts';

export const MAX_CHECKS = 50;
/** Longer ones are hard to read, and slow. */
export const MAX_PATTERN_CHARS = 512;

/** The dots of a verdict's id are around that of its judge. */
export const judgeId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must begin with a lowercase letter or a digit and hold only a-z, 0-9, - and _')
  .meta({ id: 'JudgeId', description: 'Names a judge, in at most 64 characters.', examples: ['no-failed-tools'] });

/** Texts of a trace that a pattern can look at. */
export const judgedTexts = [
  'task_input',
  'response_text',
  'decision_summary',
  'tool_arguments',
  'tool_results',
  'errors',
  'contexts',
  'spans',
] as const;

/** Figures of a trace that have a limit. */
export const judgedFigures = [
  'cost_usd',
  'duration_ms',
  'steps',
  'tool_calls',
  'failed_tool_calls',
  'llm_calls',
  'tokens',
  'errors',
  'attempts',
  'memory_reads',
] as const;

export const pathOperators = [
  'exists',
  'equals',
  'contains',
  'matches',
  'less',
  'at_most',
  'greater',
  'at_least',
] as const;

const tool = s.label(256).meta({ description: 'The name of a tool; `*` stands for any characters.' });
const pattern = s.text(MAX_PATTERN_CHARS).min(1).meta({ description: 'A regular expression.' });
const scalar = z.union([s.text(4096), z.number(), z.boolean(), z.null()]);

/** Whether the opposite has to hold. */
const not = z.boolean().default(false).meta({ description: 'It has to be otherwise.' });
const memory = {
  entity_path: s.pathGlob.meta({ description: 'Where the entry is.' }),
  key: s.key.optional(),
  version: s.version.optional().meta({ description: 'This version of it.' }),
};

const simpleChecks = [
  z.strictObject({
    check: z.literal('json_path'),
    path: s
      .text(512)
      .min(1)
      .meta({
        description: 'A path into the trace as `traces.read` shows it: `$.a.b`, `[0]`, `[-1]`, `[*]`, `..name`.',
        examples: ['$.tool_calls[*].arguments.amount'],
      }),
    op: z.enum(pathOperators).default('exists'),
    value: scalar.optional().meta({ description: 'What to compare with; for `matches` a regular expression.' }),
    every: z.boolean().default(false).meta({ description: 'All values there have to, not just one.' }),
    not,
  }),
  z.strictObject({
    check: z.literal('pattern'),
    in: z.enum(judgedTexts).default('response_text'),
    pattern,
    ignore_case: z.boolean().default(true),
    not,
  }),
  z.strictObject({
    check: z.literal('tool_required'),
    tool,
    min: z.int().min(1).max(1000).default(1).meta({ description: 'At least so often.' }),
    max: z.int().min(1).max(1000).optional().meta({ description: 'At most so often.' }),
    succeeded: z.boolean().default(false).meta({ description: 'Only calls that succeeded count.' }),
  }),
  z.strictObject({ check: z.literal('tool_forbidden'), tool }),
  z.strictObject({
    check: z.literal('order'),
    tools: z.array(tool).min(2).max(20).meta({ description: 'None of them is called before the one ahead of it.' }),
  }),
  z.strictObject({ check: z.literal('most'), of: z.enum(judgedFigures), limit: z.number().min(0) }),
  z.strictObject({ check: z.literal('outcome'), in: z.array(outcomeType).min(1).max(8), not }),
  z.strictObject({ check: z.literal('memory_read'), ...memory }),
  z.strictObject({ check: z.literal('memory_not_read'), ...memory }),
] as const;

export const simpleCheck = z.discriminatedUnion('check', [...simpleChecks]).meta({ id: 'SimpleCheck' });

const several = z.array(simpleCheck).min(1).max(MAX_CHECKS);

export const traceCheck = z
  .discriminatedUnion('check', [
    ...simpleChecks,
    z.strictObject({ check: z.literal('any_of'), of: several }),
    z.strictObject({ check: z.literal('all_of'), of: several }),
  ])
  .meta({ id: 'TraceCheck', description: 'Something that holds of a trace or does not.' });

export const rubricItem = z
  .strictObject({
    name: s.label(128),
    weight: z.number().min(0.01).max(100).default(1),
    required: z.boolean().default(false).meta({ description: 'Without it the trace fails, however high the score.' }),
    check: traceCheck,
  })
  .meta({ id: 'RubricItem' });

export const judgeKinds = ['code', 'rubric'] as const;
export const judgeStatuses = ['active', 'draft', 'archived'] as const;

const passAt = (usual: number) =>
  z.number().min(0).max(1).default(usual).meta({ description: 'The least score, 0 to 1, with which a trace passes.' });

const when = traceCheck
  .optional()
  .meta({ description: 'Only traces of which this holds are judged; others are skipped.' });

/** What a judge looks for; the kind says in which manner. */
export const judgeDefinition = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('code'),
      when,
      checks: z.array(traceCheck).min(1).max(MAX_CHECKS).meta({ description: 'All of these have to hold.' }),
    }),
    z.strictObject({
      kind: z.literal('rubric'),
      when,
      items: z.array(rubricItem).min(1).max(MAX_CHECKS),
      pass_at: passAt(0.7),
    }),
  ])
  .meta({ id: 'JudgeDefinition' });

export const samplingRate = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'The share of new traces that is judged; which they are follows from their ids.' });

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
    traced_at: s.utc.meta({ description: 'When the trace was sealed.' }),
    created_at: s.utc.meta({ description: 'When it was judged.' }),
  })
  .meta({ id: 'Verdict', description: 'What a version of a judge found in a trace, once.' });

export type SimpleCheck = z.output<typeof simpleCheck>;
export type TraceCheck = z.output<typeof traceCheck>;
export type JudgeDefinition = z.output<typeof judgeDefinition>;
export type VerdictResult = (typeof verdictResults)[number];
export type JudgedFigure = (typeof judgedFigures)[number];
