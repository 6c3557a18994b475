import { createHmac } from 'node:crypto';
import { type ConnectorFacts, loadInProcess } from '../../packages/server/src/connectors/in-process.ts';
import type { Connector, LoadedConnector, Manifest } from '../../packages/server/src/connectors/types.ts';

export const SECRET = 'the-secret-of-the-tests';

const MANIFEST: Manifest = {
  name: 'example',
  version: '1.0.0',
  description: 'Builds',
  entry_point: 'index:Example',
  webhook: {
    signature_header: 'X-Example-Signature',
    signature_algorithm: 'hmac-sha256',
    signature_prefix: 'sha256=',
    max_payload_bytes: 1_048_576,
  },
  default_entity_path: 'example/events',
  event_types: ['build'],
  env_vars: [],
  dependencies: [],
  config: { batch_size: 100, retry_attempts: 3, retry_delay_seconds: 5 },
};

/** A state of a build is a write, and a note about it a context. */
const example: Connector = {
  transform: ({ event_type, payload }) => {
    const { name, state, note } = payload as Record<string, string>;
    if (event_type !== 'build') return [];
    if (state === 'odd') throw new Error('this state is odd');
    return [
      {
        operation: 'write',
        entity_path: 'example/builds',
        key: String(name ?? 'unnamed').slice(0, 100) || 'unnamed',
        value: { state: state ?? null },
      },
      ...(note === undefined
        ? []
        : [{ operation: 'record_context' as const, label: 'note', summary: String(note), source: 'example' }]),
    ];
  },
  reply: (payload) => {
    const { challenge } = payload as { challenge?: unknown };
    return typeof challenge === 'string' ? { challenge } : undefined;
  },
};

type TestConnector = Partial<Omit<ConnectorFacts, 'manifest'>> & {
  manifest?: Partial<Manifest>;
  webhook?: Partial<Manifest['webhook']>;
  connector?: Partial<Connector>;
};

/** A connector as the service runs its own ones. */
export function testConnector({ manifest, webhook, connector, ...facts }: TestConnector = {}): LoadedConnector {
  const whole = { ...MANIFEST, ...manifest, webhook: { ...MANIFEST.webhook, ...webhook } };
  const set = { secrets: [SECRET], unsigned: false, records_outcomes: false, missing_variables: [], ...facts };
  return loadInProcess({ manifest: whole, ...set }, { ...example, ...connector }, { max_value_bytes: 1024 * 1024 });
}

export const signatureOf = (body: string | Buffer, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export type SentDelivery = {
  connector?: string;
  /** A key within the address. */
  token?: string;
  secret?: string;
  headers?: Record<string, string>;
  /** False: the request has no content type. */
  type?: string | false;
};

/** Delivers a body as a sender does, signed. */
export async function deliver(url: string, body: string | Buffer, sent: SentDelivery = {}) {
  const { connector = 'example', token, secret = SECRET, type = 'application/json', headers } = sent;
  const response = await fetch(`${url}/api/v1/webhooks/${connector}${token === undefined ? '' : `/${token}`}`, {
    method: 'POST',
    // Bytes without a type: fetch adds none of its own.
    body: new Uint8Array(Buffer.from(body)),
    headers: {
      'x-example-signature': signatureOf(body, secret),
      ...(type === false ? {} : { 'content-type': type }),
      ...headers,
    },
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text || '{}') as Record<string, unknown> };
}
