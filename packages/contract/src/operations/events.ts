import * as z from 'zod';
import { checkedLater } from '../checked-later.ts';
import { isWithinChars } from '../glob.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';

/** In one batch. */
export const MAX_EVENTS = 1000;
const MAX_SOURCE_CHARS = 128;

const hasPlainSegments = (text: string): boolean => !text.split('/').some((part) => part === '.' || part === '..');

const source = s
  .label(240)
  .refine((text) => isWithinChars(text, MAX_SOURCE_CHARS), `must not be longer than ${MAX_SOURCE_CHARS} characters`)
  .refine(hasPlainSegments, 'must not hold the segment . or ..')
  .meta({
    id: 'EventSource',
    description: 'Names the sender. What it sends is written by the agent `external/<source>`.',
    examples: ['ci'],
  });

export const eventType = s.label(256).meta({
  id: 'EventType',
  description: 'What kind of event it is, in the words of its sender.',
  examples: ['build.failed'],
});

export const deliveryId = s.label(8192).meta({
  id: 'DeliveryId',
  description: 'The id that the sender gave the event. An event that comes again with the same id counts once.',
  examples: ['7d3f2a90'],
});

export const occurredAt = s.timestamp.meta({
  description:
    'When it happened. An event that is older than what the entry already says about a later time does not change it.',
});

const event = z.strictObject({
  source,
  entity_path: s.entityPath,
  key: s.key,
  value: s.jsonValue,
  event_type: eventType.default('generic'),
  id: deliveryId.optional(),
  occurred_at: occurredAt.optional(),
  confidence: s.confidence.optional().meta({ description: 'Default 1.' }),
  memory_type: s.memoryType.optional().meta({ description: 'Default `experience`.' }),
  pattern_refs: z.array(s.patternRef).max(100).optional(),
  artifact_refs: z.array(s.artifactRef).max(100).optional(),
});

export const ingestedStatus = z
  .enum(['written', 'unchanged', 'out_of_date', 'deleted', 'context', 'raw', 'ignored'])
  .meta({
    id: 'IngestedStatus',
    description:
      '`written`: a new version; `unchanged`: the entry says so already; `out_of_date`: it says something later; `deleted`: ' +
      'the thing is gone; `context`: noted beside the thing; `raw`: kept as it came; `ignored`: nothing to keep.',
  });

const sent = z
  .object({
    duplicate: z.boolean().meta({ description: 'An event with this id had come before: nothing was counted again.' }),
    id: z.string(),
    event_type: z.string(),
    sender: s.agentId.meta({ description: 'The agent that it was written by.' }),
    entity_path: s.entityPath.nullable(),
    key: s.key.nullable(),
    version: z.int().nullable().meta({ description: 'The version that the entry has now, or had when it first came.' }),
    status: ingestedStatus,
    occurred_at: s.utc.nullable(),
    received_at: s.utc,
  })
  .meta({ id: 'SentEvent' });

export const deliveryRow = {
  id: z.string(),
  event_type: z.string(),
  agent_id: s.agentId.meta({ description: '`external/<source>` or `webhook/<connector>`.' }),
  entity_path: s.entityPath.nullable().meta({ description: 'Null where nothing was written, or it was erased.' }),
  key: s.key.nullable(),
  version: z.int().nullable(),
  status: ingestedStatus,
  occurred_at: s.utc.nullable().meta({ description: 'By the clock of the sender.' }),
  received_at: s.utc,
};

const example = (n: number) => ({
  source: 'ci',
  entity_path: 'checkout/builds',
  key: 'last-build',
  value: { state: 'failed', step: 'unit tests', number: 2231 + n },
  event_type: 'build.failed',
  id: nth('build-2231', n),
});

export const events = {
  'events.send': operation({
    summary: 'Send an event',
    description:
      'Something that happened outside becomes an entry of the agent `external/<source>` that all agents see. Secrets in the value are ' +
      'replaced by marks. An event with an `id` that has come before is answered with `duplicate: true`. CloudEvents 1.0 and ' +
      '`{"events": […]}` are accepted at the same address.',
    module: 'ingestion',
    effect: 'write',
    cost: 2,
    always_shared: true,
    http: {
      method: 'POST',
      path: '/api/v1/events',
      status: { of: (output: { duplicate: boolean }) => (output.duplicate ? 200 : 201), all: [201, 200] },
      cloud_events: true,
    },
    raw: [['value']],
    cli: { alias: 'send-event', args: ['source', 'entity_path', 'key', 'value'] },
    input: () => event,
    output: () => sent,
    errors: ['value_too_large', 'contract_violated', 'entry_quarantined'],
    example,
  }),

  'events.send_batch': operation({
    summary: 'Send many events',
    description:
      'Up to 1,000 events in one transaction. Each is accepted or refused by itself and costs as much as one that is sent alone. ' +
      'Where the key reaches none of their paths, all are refused with 403.',
    module: 'ingestion',
    effect: 'write',
    cost: 2,
    cost_per: 'events',
    always_shared: true,
    http: { method: 'POST', path: '/api/v1/events/batch' },
    raw: [['events', '*', 'value']],
    cli: { alias: 'send-events', args: ['events'] },
    input: () =>
      z.strictObject({
        events: z.array(checkedLater(event, { description: 'An event as `events.send` takes it.' })).max(MAX_EVENTS),
      }),
    output: () =>
      z.object({
        batch_id: z.string(),
        accepted: z.int(),
        duplicates: z.int(),
        rejected: z.int(),
        results: z.array(
          z.union([
            sent.extend({ index: z.int() }).meta({ id: 'BatchEvent' }),
            z
              .object({
                index: z.int(),
                error: z.object({
                  code: z.string(),
                  status: z.int(),
                  detail: z.string(),
                  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
                }),
              })
              .meta({ id: 'RejectedEvent', description: 'The problem that it would be refused with alone.' }),
          ]),
        ),
      }),
    errors: [],
    example: (n) => ({ events: [{ ...example(n), key: 'last-nightly', id: nth('nightly-12', n) }] }),
  }),

  'events.list': operation({
    summary: 'List events that came from outside',
    description:
      'What was sent to `events.send` and to webhooks, newest first, as long as their ids are remembered (`MEM_DELIVERY_DAYS`).',
    module: 'ingestion',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/events' },
    cli: { alias: 'events' },
    input: () =>
      z.strictObject({
        event_type: eventType.optional(),
        source: source.optional().meta({ description: 'Only what this source or connector sent.' }),
        entity_path: s.pathGlob.optional(),
        include_descendants: s.includeDescendants,
        key: s.key.optional(),
        since: s.since,
        until: s.until,
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        events: z.array(z.object(deliveryRow).meta({ id: 'ReceivedEvent' })),
        ...s.page,
      }),
    errors: ['invalid_cursor'],
    example: () => ({ source: 'ci' }),
  }),
};
