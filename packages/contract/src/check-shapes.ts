import * as z from 'zod';
import * as s from './shapes.ts';
import { outcomeType } from './trace-shapes.ts';

export const MAX_CHECKS = 50;
/** Longer ones are hard to read, and slow. */
export const MAX_PATTERN_CHARS = 512;

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

const orderedStep = z
  .union([
    z.strictObject({ tool }),
    z.strictObject({ span: s.label(256).meta({ description: 'The name of a span; `*` stands for any characters.' }) }),
    z.strictObject({ entity_path: memory.entity_path, key: memory.key }),
  ])
  .meta({ id: 'OrderedStep', description: 'A call of a tool, a span, or a read of memory.' });

const simpleChecks = [
  z.strictObject({
    check: z.literal('json_path'),
    path: s
      .text(512)
      .min(1)
      .meta({
        description:
          'A path into the trace as `traces.read` shows it, without the values of entries: `$.a.b`, `[0]`, `[-1]`, `[*]`, `..name`.',
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
    tools: z
      .array(tool)
      .min(2)
      .max(20)
      .optional()
      .meta({ description: 'None of them is called before the one ahead of it.' }),
    steps: z
      .array(orderedStep)
      .min(2)
      .max(20)
      .optional()
      .meta({ description: 'In place of `tools`: none of them begins before the one ahead of it.' }),
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

export type OrderedStep = z.output<typeof orderedStep>;
export type SimpleCheck = z.output<typeof simpleCheck>;
export type TraceCheck = z.output<typeof traceCheck>;
export type JudgedFigure = (typeof judgedFigures)[number];
