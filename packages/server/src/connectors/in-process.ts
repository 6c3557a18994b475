import { isHandled } from './declared-types.ts';
import { nameDelivery } from './delivery-name.ts';
import { checkResults, type ResultLimits } from './results.ts';
import { hasSignatureByAny } from './signature.ts';
import type { Connector, ConnectorOptions, InboundEvent, LoadedConnector, Manifest, Transformed } from './types.ts';

/** What a manifest and the configuration say of a connector. */
export type ConnectorFacts = Pick<
  LoadedConnector,
  'manifest' | 'secrets' | 'unsigned' | 'records_outcomes' | 'missing_variables'
>;

/** A connector of the service itself, which is trusted with this thread. */
export function loadInProcess(facts: ConnectorFacts, connector: Connector, limits: ResultLimits): LoadedConnector {
  const { manifest } = facts;
  return {
    ...facts,
    source: 'built-in',
    async isSigned(delivery, now, secrets = facts.secrets) {
      if (!connector.validate_signature) return hasSignatureByAny(delivery, secrets, manifest.webhook);
      const verdicts = secrets.map((secret) => connector.validate_signature?.(delivery, secret, now));
      return verdictOf(verdicts, secrets);
    },
    async identify(payload, delivery) {
      return nameDelivery(payload, delivery, connector.identify?.(payload, delivery.headers));
    },
    async reply(payload) {
      return connector.reply?.(payload);
    },
    transform: (events) => Promise.all(events.map((event) => transformOne(connector, event, { manifest, limits }))),
  };
}

/** One secret of two is enough; a reason is not true, and is shown without the secrets that it may quote. */
export function verdictOf(verdicts: readonly unknown[], secrets: readonly string[]): boolean | string {
  if (verdicts.includes(true)) return true;
  const reason = verdicts.find((one): one is string => typeof one === 'string');
  return reason !== undefined && secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), reason);
}

async function transformOne(
  connector: Connector,
  event: InboundEvent,
  { manifest, limits }: { manifest: Manifest; limits: ResultLimits },
): Promise<Transformed> {
  if (!isHandled(manifest.event_types, event.event_type)) return { results: [] };
  try {
    const checked = checkResults(await connector.transform(event), limits);
    return 'results' in checked ? checked : { failure: { reason: checked.problem, passing: false } };
  } catch (error) {
    return { failure: { reason: (error as Error).message, passing: false } };
  }
}

export type ConnectorClass = new (options: ConnectorOptions) => Connector;
