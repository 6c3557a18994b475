import { Fault } from '@mem-service/contract';
import { jsonOf } from '../payload-text.ts';
import { ConnectorThread } from './connector-thread.ts';
import { isHandled } from './declared-types.ts';
import { nameDelivery } from './delivery-name.ts';
import { type ConnectorFacts, verdictOf } from './in-process.ts';
import { hasSignatureByAny } from './signature.ts';
import { PATIENT_LIMITS, type ThreadSpec } from './thread-types.ts';
import type { LoadedConnector, Transformed } from './types.ts';

const MAX_REPLY_CHARS = 64 * 1024;

export type ConnectorInThread = LoadedConnector & { close(): Promise<void> };

/** A connector that others wrote, in a thread of its own. */
export function loadInThread(facts: ConnectorFacts, spec: ThreadSpec): ConnectorInThread {
  const thread = new ConnectorThread(spec);
  // What is tried again may take longer, and holds up nobody.
  const again = new ConnectorThread({ ...spec, limits: { ...PATIENT_LIMITS, ...spec.limits } });
  const { manifest } = facts;
  const { name } = manifest;
  const refuse = (reason: string): never => {
    throw new Fault('unavailable', `the connector ${name} cannot take this now: ${reason}`, { connector: name });
  };
  const methods = async () => {
    const found = await thread.methods();
    return typeof found === 'string' ? new Set<never>() : found;
  };
  return {
    ...facts,
    source: 'installed',
    async isSigned(delivery, now, secrets = facts.secrets) {
      const found = await thread.methods();
      const hasDefault = () => hasSignatureByAny(delivery, secrets, manifest.webhook);
      // It may have a check of its own, which would accept it. What has the default signature is kept until it loads.
      if (typeof found === 'string') return hasDefault() || refuse(found);
      if (!found.has('validate_signature')) return hasDefault();
      const verdicts: unknown[] = [];
      for (const secret of secrets) {
        const outcome = await thread.call({ name: 'validate_signature', secret, now, ...delivery });
        // What it threw may quote the secret.
        if (!('output' in outcome)) return refuse('busy' in outcome ? outcome.busy : 'its check of signatures failed');
        verdicts.push(outcome.output);
      }
      return verdictOf(verdicts, secrets);
    },
    async identify(payload, delivery) {
      if (thread.isFull) refuse('too many events are waiting for it');
      if (!(await methods()).has('identify')) return nameDelivery(payload, delivery);
      const text = jsonOf(payload);
      const outcome = await thread.call({ name: 'identify', payload: text, headers: delivery.headers });
      // Another name than it will get when it is sent again would store it twice.
      if ('busy' in outcome) refuse(outcome.busy);
      return nameDelivery(payload, delivery, 'output' in outcome ? outcome.output : undefined);
    },
    async reply(payload) {
      if (!(await methods()).has('reply')) return undefined;
      const outcome = await thread.call({ name: 'reply', payload: jsonOf(payload) });
      return 'output' in outcome ? replyIn(outcome.output) : undefined;
    },
    async transform(events, given = {}) {
      const on = given.again ? again : thread;
      const named = events.filter(({ event_type }) => isHandled(manifest.event_types, event_type));
      const isBroken = named.length < events.length && typeof (await on.methods()) === 'string';
      // An event of a type that the manifest does not name has no results. One that could not be named yet may have some.
      const handled = isBroken ? events : named;
      const made = handled.length > 0 ? await on.transform(handled, given) : [];
      const byEvent = new Map(handled.map((event, i) => [event, made[i] as Transformed]));
      return events.map((event) => byEvent.get(event) ?? { results: [] });
    },
    close: async () => {
      await Promise.all([thread.close(), again.close()]);
    },
  };
}

function replyIn(output: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return undefined;
  return JSON.stringify(output).length > MAX_REPLY_CHARS ? undefined : (output as Record<string, unknown>);
}
