import * as z from 'zod';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { deliveryId, eventType, ingestedStatus } from './events.ts';

const connector = s.connectorName;

const result = z
  .object({
    operation: z.enum(['write', 'record_context']),
    entity_path: s.entityPath,
    key: s.key,
    version: z.int().nullable(),
    status: ingestedStatus,
  })
  .meta({ id: 'IngestedResult' });

const letterId = z
  .string()
  .regex(/^[0-9a-z]{1,64}$/, 'is not the id of a dead letter')
  .meta({ description: 'The id of a dead letter.', examples: ['01k0a4g3v5x7y9z1b3d5f7h9jk'] });

const received = {
  connector: z.string(),
  id: z.string(),
  event_type: z.string(),
  results: z.array(result),
};

const reason = z.string().nullable().meta({ description: 'Why the event could not be transformed.' });

const connectorRow = {
  connector: z.string(),
  version: z.string(),
  description: z.string(),
  origin: z.enum(['built-in', 'installed']),
  secret_set: z.boolean().meta({
    description: 'The service has a secret for it. A key of the type webhook may have one of its own.',
  }),
  unsigned: z.boolean().meta({ description: 'It accepts deliveries without a signature, from this machine only.' }),
  missing_variables: z.array(z.string()).meta({ description: 'Variables that it requires and that are not set.' }),
  totals: z
    .object({ received: z.int(), duplicates: z.int(), failures: z.int(), dead_letters: z.int() })
    .nullable()
    .meta({ description: 'Of this account. Null for a key that reaches only a part of it.' }),
  last_event: z
    .object({ event_type: z.string(), received_at: s.utc })
    .nullable()
    .meta({ description: 'Null where none has come, or the key reaches only a part of the account.' }),
};

const letter = z
  .object({
    letter_id: letterId,
    connector: z.string(),
    id: z.string(),
    event_type: z.string(),
    reason: z.string(),
    attempts: z.int().meta({ description: 'How often a transform was tried.' }),
    next_attempt_at: s.utc.nullable().meta({ description: 'Null: it is not tried again by itself.' }),
    entity_path: s.entityPath.nullable().meta({ description: 'Where the event is kept as it came.' }),
    key: s.key.nullable(),
    received_at: s.utc,
  })
  .meta({ id: 'DeadLetter' });

export const connectors = {
  'webhooks.receive': operation({
    summary: 'Receive a webhook',
    description:
      'Takes a delivery as its sender makes it: the connector checks its signature, and what it understands is written by the agent ' +
      '`webhook/<connector>`. A hosted service takes it at an address with a key of the type webhook as its last part, too: ' +
      '`/api/v1/webhooks/{connector}/{key}`. A delivery that comes again is answered with `duplicate: true`; one that cannot be transformed is ' +
      'kept as it came.',
    module: 'ingestion',
    effect: 'write',
    cost: 2,
    always_shared: true,
    http: {
      method: 'POST',
      path: '/api/v1/webhooks/{connector}',
      status: { of: (output: { duplicate: boolean }) => (output.duplicate ? 200 : 202), all: [202, 200] },
      webhook: true,
    },
    cli: { hidden: true },
    input: () =>
      z.strictObject({
        connector,
        id: deliveryId,
        event_type: eventType,
        payload: z.unknown().meta({ description: 'The body, parsed.' }),
        headers: z
          .record(z.string().max(256), z.string().max(16_384))
          .default({})
          .meta({ description: 'By names in lower case, without signatures and credentials.' }),
      }),
    output: () =>
      z
        .object({
          duplicate: z.boolean(),
          ...received,
          letter_id: letterId.nullable().meta({ description: 'Of an event that could not be transformed.' }),
          reason,
        })
        .meta({ id: 'ReceivedDelivery' }),
    errors: ['connector_not_found', 'connector_not_configured', 'invalid_signature', 'contract_violated'],
    example: (n) => ({
      connector: 'example',
      id: nth('delivery-1', n),
      event_type: 'build.failed',
      payload: {
        entity_path: 'checkout/builds',
        key: 'nightly',
        value: { state: 'failed', number: 12 + n },
      },
    }),
  }),

  'dead_letters.replay': operation({
    summary: 'Transform a dead letter again',
    description: 'With the transform as it is now. Where it succeeds, the letter is gone and so is the raw entry.',
    module: 'ingestion',
    effect: 'write',
    cost: 2,
    always_shared: true,
    http: { method: 'POST', path: '/api/v1/dead-letters/{letter_id}/replay' },
    cli: { alias: 'replay-event', args: ['letter_id'] },
    input: () => z.strictObject({ letter_id: letterId }),
    output: () =>
      z
        .object({
          replayed: z.boolean().meta({ description: 'Whether it could be transformed now.' }),
          letter_id: letterId,
          ...received,
          reason,
          attempts: z.int(),
        })
        .meta({ id: 'ReplayedLetter' }),
    errors: ['not_found', 'connector_not_found', 'contract_violated'],
    example: () => ({ letter_id: '01k0a4g3v5x7y9z1b3d5f7h9jk' }),
  }),

  'dead_letters.list': operation({
    summary: 'List events that could not be transformed',
    description: 'Newest first. Each is kept as it came and can be replayed.',
    module: 'ingestion',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/dead-letters' },
    cli: { alias: 'dead-letters' },
    input: () => z.strictObject({ connector: connector.optional(), limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ dead_letters: z.array(letter), ...s.page }),
    errors: ['invalid_cursor'],
    example: () => ({}),
  }),

  'connectors.list': operation({
    summary: 'List connectors',
    description: 'Which connectors the service has, whether each can be used, and what it has received.',
    module: 'ingestion',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/connectors' },
    cli: { alias: 'connectors' },
    tools: [
      {
        name: 'mem_connectors',
        toolset: 'data',
        description: 'Which tools outside send events here, and when they last did.',
        fields: [],
      },
    ],
    input: () => z.strictObject({}),
    output: () => z.object({ connectors: z.array(z.object(connectorRow).meta({ id: 'ConnectorRow' })) }),
    errors: [],
    example: () => ({}),
  }),

  'connectors.read': operation({
    summary: 'Read a connector',
    description: 'Its manifest and how it stands.',
    module: 'ingestion',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/connectors/{connector}' },
    cli: { alias: 'show-connector', args: ['connector'] },
    input: () => z.strictObject({ connector }),
    output: () =>
      z
        .object({
          ...connectorRow,
          author: z.string().nullable(),
          license: z.string().nullable(),
          default_entity_path: z.string(),
          event_types: z.array(z.string()),
          max_payload_bytes: z.int(),
          signature_header: z.string(),
          signature_algorithm: z.string(),
          records_outcomes: z.boolean(),
          last_failure: z.object({ reason: z.string(), failed_at: s.utc }).nullable(),
          retry_attempts: z.int(),
          retry_delay_seconds: z.number(),
        })
        .meta({ id: 'Connector' }),
    errors: ['connector_not_found'],
    example: () => ({ connector: 'example' }),
  }),
};
