import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const consumerName = s.text(128).meta({ description: 'A consumer of the log, as `consumers.list` calls it.' });

const deadLetter = z
  .object({
    seq: z.int().meta({ description: 'Of the event in the log.' }),
    attempts: z.int(),
    error: z.string().meta({ description: 'The kind of error. Its message is only in the log of the server.' }),
    failed_at: s.utc,
    is_retried: z.boolean().meta({ description: 'It will soon be tried again.' }),
  })
  .meta({ id: 'DeadLetter', description: 'An event that a consumer gave up on.' });

const state = z
  .object({
    consumer: z.string(),
    seq: z.int().meta({ description: 'Everything up to here is handled.' }),
    attempts: z.int().meta({ description: 'Failures in a row at the event it is at.' }),
    last_error: z.string().nullable(),
    retry_at: s.utc.nullable(),
    dead_letters_total: z.int().meta({ description: 'How many events it gave up on.' }),
    dead_letters: z.array(deadLetter).meta({
      description: 'The oldest 1,000 of them. Retry or drop these to see the next.',
    }),
  })
  .meta({ id: 'ConsumerState' });

const letters = {
  consumer: consumerName,
  seq: z.int().min(1).optional().meta({ description: 'One of them; all where it is left out.' }),
};

const about = { module: 'consumers', admin: true, whole: true } as const;

export const consumers = {
  'consumers.list': operation({
    summary: 'List the consumers of the log',
    description: 'How far each consumer has come in the log of the account, and the events that it gave up on.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/consumers' },
    cli: { alias: 'consumers' },
    input: () => z.strictObject({}),
    output: () => z.object({ last_seq: z.int(), consumers: z.array(state) }).meta({ id: 'Consumers' }),
    errors: ['forbidden'],
    example: () => ({}),
  }),
  'consumers.retry': operation({
    summary: 'Try dead letters again',
    description: 'Soon, each on its own. One that fails again stays where it is.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/admin/consumers/{consumer}/retry' },
    cli: { args: ['consumer'], alias: 'retry-consumer' },
    input: () => z.strictObject(letters),
    output: () => z.object({ consumer: z.string(), retried: z.int() }),
    errors: ['forbidden', 'not_found'],
    example: () => ({ consumer: 'retention.enforce_new' }),
  }),
  'consumers.drop': operation({
    summary: 'Drop dead letters',
    description: 'They are not tried again. The events stay in the log.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'DELETE', path: '/api/v1/admin/consumers/{consumer}/dead-letters' },
    cli: { args: ['consumer'], alias: 'drop-dead-letters' },
    input: () => z.strictObject(letters),
    output: () => z.object({ consumer: z.string(), dropped: z.int() }),
    errors: ['forbidden', 'not_found'],
    example: () => ({ consumer: 'retention.enforce_new' }),
  }),
};
