import { checkResults } from '../../packages/server/src/connectors/results.ts';
import type {
  ConnectorHost,
  InboundEvent,
  LoadedConnector,
  Manifest,
} from '../../packages/server/src/connectors/types.ts';

const manifest: Manifest = {
  name: 'example',
  version: '1.0.0',
  description: 'Writes what a payload says.',
  entry_point: 'example:Example',
  webhook: {
    signature_header: 'x-signature',
    signature_algorithm: 'hmac-sha256',
    signature_prefix: '',
    max_payload_bytes: 1024 * 1024,
  },
  default_entity_path: '{entity_path}',
  event_types: ['build.failed', 'build.passed'],
  env_vars: [],
  dependencies: [],
  config: { batch_size: 100, retry_attempts: 3, retry_delay_seconds: 5 },
};

type Says = Omit<Partial<LoadedConnector>, 'manifest'> & { manifest?: Partial<Manifest> };

/** A connector whose transform is given by the test. */
export function connectorThat(transform: LoadedConnector['transform'], says: Says = {}): LoadedConnector {
  return {
    source: 'built-in',
    secrets: ['secret of the tests'],
    unsigned: false,
    records_outcomes: false,
    missing_variables: [],
    isSigned: async () => true,
    identify: async (_, { headers }) => ({
      event_type: headers['x-event-type'] ?? 'build.failed',
      id: headers['x-event-id'] ?? 'delivery-1',
    }),
    reply: async () => undefined,
    ...says,
    manifest: { ...manifest, ...says.manifest },
    transform,
  };
}

export const hostOf = (...connectors: readonly LoadedConnector[]): ConnectorHost => ({
  connectors: new Map(connectors.map((connector) => [connector.manifest.name, connector])),
  async close() {},
});

type ExamplePayload = { entity_path: string; key: string; value: unknown };

/** Writes what the payload says. Every other delivery, by the number at the end of its id, fails. */
export function exampleHost(): ConnectorHost {
  const transformOne = ({ id, payload }: InboundEvent) => {
    const { entity_path, key, value } = payload as ExamplePayload;
    const isOdd = Number(/\d+$/.exec(id)?.[0] ?? 0) % 2 === 1;
    if (isOdd) return { failure: { reason: `its number is odd${' and so is this'.repeat(30)}`, passing: true } };
    const isThing = typeof value === 'object' && value !== null;
    const thing = isThing ? { merge: true, thing: `${entity_path}/${key}` } : {};
    const results = [{ operation: 'write', entity_path, key, value, ...thing }];
    const checked = checkResults(results, { max_value_bytes: 1024 * 1024 });
    return 'problem' in checked ? { failure: { reason: checked.problem, passing: false } } : checked;
  };
  // Nothing is tried again while two answers are compared.
  const config = { ...manifest.config, retry_attempts: 0 };
  return hostOf(connectorThat(async (events) => events.map(transformOne), { manifest: { config } }));
}
