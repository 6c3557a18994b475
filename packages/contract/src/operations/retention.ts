import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const days = z.int().min(1).max(36_500).nullable().meta({ description: 'A number of days; null means for ever.' });

const kept = z
  .object({
    traces_days: days,
    payloads_days: days,
    updated_at: s.utc.nullable().meta({ description: 'When it was last set.' }),
  })
  .meta({ id: 'Retention' });

const settings = {
  traces_days: days.optional().meta({
    description: 'Traces are removed after so many days, with all that is in them. Null keeps them for ever.',
  }),
  payloads_days: days.optional().meta({
    description:
      'What was said is taken out of traces after so many days: tasks, answers, messages of language models, inputs and ' +
      'outputs of tools and spans, contexts, questions, errors. Which entries were read and written stays, and the rest can ' +
      'be verified. Null keeps it for ever.',
  }),
};

const about = { module: 'retention', admin: true, whole: true } as const;

export const retention = {
  'retention.read': operation({
    summary: 'See how long traces are kept',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/retention' },
    cli: { alias: 'retention' },
    input: () => z.strictObject({}),
    output: () => kept,
    errors: ['forbidden'],
    example: () => ({}),
  }),
  'retention.set': operation({
    summary: 'Say how long traces are kept',
    description:
      'What is left out stays as it is. What is older by now goes soon after, a little at a time, and nothing brings it back.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'PUT', path: '/api/v1/admin/retention' },
    cli: { alias: 'set-retention' },
    input: () => z.strictObject(settings),
    output: () => kept,
    errors: ['forbidden'],
    example: (n) => ({ traces_days: 365 + n, payloads_days: 30 }),
  }),
};
