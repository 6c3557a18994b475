import * as z from 'zod';
import { judgeId, modelCall } from '../judge-shapes.ts';
import { listing } from '../operation.ts';
import * as s from '../shapes.ts';
import { traceId } from '../trace-shapes.ts';

export const investigationSteps = ['segments', 'attribution', 'divergence', 'memory_changes'] as const;

const line = z
  .object({
    no: z.int().meta({ description: 'Counts the lines from 1.' }),
    step: z
      .enum([...investigationSteps, 'answer'])
      .meta({ description: 'What was looked at; the last line is `answer`.' }),
    chosen_by: z.enum(['plan', 'model']),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it was chosen, in the words of a model; or why none was asked any more.' }),
    found: z.string().meta({ description: 'In words.' }),
    data: s.anyJson.meta({ description: 'What that rests on, as the operation of the step answers it.' }),
    model_call: modelCall.nullable().meta({
      description:
        'What asking the model for it took; of an answer by the plan, what the last call took, which failed.',
    }),
  })
  .meta({ id: 'InvestigationLine', description: 'A step of an investigation, or its answer.' });

export const investigations = {
  'investigations.run': listing({
    summary: 'Ask a question about the sessions of an agent',
    description:
      'JSON Lines, a step each with what it found, and the answer last. Without a language model the steps are a plan: segments, attribution, ' +
      'the first divergence between a failing and a passing trace, and the memory that was new when failures began. With one, within the ' +
      'budget, it chooses from these steps and answers the question.',
    module: 'investigations',
    effect: 'read',
    cost: 1,
    // Runs and what they read are loaded in parts.
    items_per_statement: 10,
    http: { method: 'GET', path: '/api/v1/eval/investigations' },
    cli: { hidden: true },
    input: () =>
      z.strictObject({
        agent_id: s.agentId.meta({ description: 'The agent it is about.' }),
        question: s.text(4096).min(1).meta({ description: 'What to find out.' }),
        trace_id: traceId.optional().meta({ description: 'A trace that failed; the newest one where it is left out.' }),
        judge_id: judgeId
          .optional()
          .meta({ description: 'Failing are the traces that this judge failed; else those with such an outcome.' }),
        since: s.since,
        until: s.until,
        max_steps: z.int().min(1).max(20).default(8).meta({ description: 'The most steps before the answer.' }),
      }),
    output: () => line,
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ agent_id: 'agent/billing', question: 'Why do refunds fail since Monday?' }),
  }),
};
