import { Fault, type Input } from '@mem-service/contract';
import { isHandled } from '../../connectors/declared-types.ts';
import type { ConnectorResult, LoadedConnector, TransformFailure, TransformFor } from '../../connectors/types.ts';
import { isoOfMs } from '../../iso-time.ts';
import {
  type Caller,
  changed,
  type Handler,
  hashedBy,
  inputSizeInSteps,
  prepares,
  type Services,
  unchanged,
  writesTogether,
} from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { redactText } from '../traces/index.ts';
import { type Arrival, checkWriteScope, deliveryName } from './arrivals.ts';
import { checkConfigured, connectorOf } from './connectors.ts';
import { contextKey, pathOf, rawKey, webhookAgent } from './names.ts';
import { findDeliveries } from './queries.ts';
import { isLargeInput, redactValue, redactWrite } from './redact.ts';
import { type ArrivedWrite, PLAIN_WRITE, writesOf } from './rules/results.ts';
import { isAtMost, type Stamp } from './rules/stamps.ts';
import { storeArrivals } from './store.ts';

type Delivery = Input<'webhooks.receive'>;

/** Transforms a delivery. What comes of it is stored in one transaction. */
async function prepareReceive(services: Services, input: Delivery, caller: Caller): Promise<Arrival> {
  const connector = connectorOf(services, input.connector);
  checkConfigured(connector);
  // The queue of writes asks for the size again.
  if (isLargeInput(input)) await inTurns(inputSizeInSteps(input));
  const { id, event_type } = input;
  const arrival: Arrival = {
    caller,
    connector: input.connector,
    sender: webhookAgent(input.connector),
    source: input.connector,
    id,
    event_type,
    occurred_at: null,
    writes: [],
    records_outcomes: connector.records_outcomes,
  };
  // A transform of somebody else may take long: it is not run for what is known.
  if (connector.source === 'installed' && (await isKnown(services, arrival))) return arrival;
  const received_at = services.clock.now();
  const transformed = await transformOne(connector, input, { received_at, account_id: caller.account_id });
  const done = await withWrites(services, arrival, { connector, input, transformed, received_at });
  checkWriteScope(caller, done.writes);
  return done;
}

async function isKnown({ database }: Services, arrival: Arrival): Promise<boolean> {
  const { account_id } = arrival.caller;
  const name = deliveryName(arrival) as [string, string, string];
  const [known] = await database.forAccount(account_id).read.findMany(findDeliveries, [[account_id, ...name]]);
  return known !== undefined;
}

type Transform = { results: readonly ConnectorResult[] } | TransformFailure;
type TransformedInput = Pick<Delivery, 'id' | 'event_type' | 'payload' | 'headers'>;

export async function transformOne(
  connector: LoadedConnector,
  { id, event_type, payload, headers }: TransformedInput,
  { received_at, ...given }: TransformFor & { received_at: number },
): Promise<Transform> {
  const event = { id, event_type, payload, headers, received_at: isoOfMs(received_at) };
  const [transformed] = await connector.transform([event], given);
  if (transformed === undefined) return { reason: 'the transform returned nothing', passing: false };
  return 'failure' in transformed ? transformed.failure : transformed;
}

export type TransformedDelivery = {
  connector: LoadedConnector;
  input: TransformedInput;
  transformed: Transform;
  received_at: number;
};

/** The arrival with what is to be written for it. An event that has no transform, or whose transform failed, is kept as it came. */
export async function withWrites(services: Services, arrival: Arrival, done: TransformedDelivery): Promise<Arrival> {
  const { connector, transformed, input, received_at } = done;
  const { default_entity_path, event_types } = connector.manifest;
  if ('reason' in transformed) return kept(services, arrival, { ...done, failure: transformed });
  const stated = writesOf(transformed.results, {
    received_at,
    contextPath: () => pathOf(input.payload, default_entity_path),
    contextKey: (label, no) => contextKey(label, { id: input.id, no }),
  });
  if (stated.length === 0) return isHandled(event_types, input.event_type) ? arrival : kept(services, arrival, done);
  const writes: ArrivedWrite[] = [];
  for (const write of stated) writes.push(await redactWrite(write));
  const oversized = writes.find(({ text }) => text && Buffer.byteLength(text) > services.limits.max_value_bytes);
  if (oversized) {
    const reason = `the value of ${oversized.entity_path}/${oversized.key} is too large`;
    return kept(services, arrival, { ...done, failure: { reason, passing: false } });
  }
  const [occurred_at, rank] = latestOf(writes);
  const keep = (reason: string) => keptWithin(services, arrival, { reason, ...done });
  return Object.assign({}, arrival, { writes, occurred_at, rank, kept: keep });
}

/** When the last of what an event says happened. */
function latestOf(writes: readonly ArrivedWrite[]): [at: number | null, rank: number] {
  let latest: Stamp | undefined;
  for (const { occurred_at, rank } of writes)
    if (occurred_at !== undefined && !isAtMost([occurred_at, rank], latest)) latest = [occurred_at, rank];
  return latest ? [...latest] : [null, 0];
}

async function keptWithin(
  services: Services,
  arrival: Arrival,
  { reason, ...done }: TransformedDelivery & { reason: string },
): Promise<Arrival> {
  const raw = await kept(services, arrival, { ...done, failure: { reason, passing: false } });
  checkWriteScope(arrival.caller, raw.writes);
  return raw;
}

type KeptEvent = TransformedDelivery & { failure?: TransformFailure };

const MAX_REASON = 2000;
const SHOWN_CHARS = 4000;

async function kept(services: Services, arrival: Arrival, event: KeptEvent): Promise<Arrival> {
  const { connector, input, failure, received_at } = event;
  const { manifest } = connector;
  const payload = await redactValue(input.payload ?? null);
  const headers = await redactValue(input.headers);
  const reason = failure && tidyReason(failure.reason);
  const about = { event_type: input.event_type, ...(reason === undefined ? {} : { reason }), id: input.id };
  const whole = `${JSON.stringify(about).slice(0, -1)},"payload":${payload.text}}`;
  const isWhole = Buffer.byteLength(whole) <= services.limits.max_value_bytes;
  const cut = { ...about, cut: true, payload: `${payload.text.slice(0, SHOWN_CHARS).toWellFormed()}…` };
  const value = isWhole ? { ...about, payload: payload.value } : cut;
  const write: ArrivedWrite = {
    ...PLAIN_WRITE,
    shown_as: 'raw',
    entity_path: pathOf(input.payload, manifest.default_entity_path),
    key: rawKey(input.event_type, input.id),
    value,
    text: isWhole ? whole : JSON.stringify(cut),
  };
  const { retry_attempts, retry_delay_seconds } = manifest.config;
  const isRetried = failure?.passing === true && retry_attempts > 0;
  const delay = failure?.at_once ? 0 : retry_delay_seconds * 1000;
  const retry_at = isRetried ? received_at + delay : null;
  return {
    ...arrival,
    writes: [write],
    ...(reason === undefined ? {} : { failure: { reason, retry_at, payload: payload.text, headers: headers.text } }),
  };
}

/** A reason is a text of somebody else's program. */
export const tidyReason = (reason: string): string =>
  redactText(reason.slice(0, 2 * MAX_REASON))
    .slice(0, MAX_REASON)
    .replaceAll('\0', ' ')
    .toWellFormed() || 'no reason given';

const store = writesTogether<'webhooks.receive'>(async (work, items) => {
  await work.locked;
  const stored = await storeArrivals(
    work,
    items.map(({ prepared }) => prepared as Arrival),
  );
  return stored.map((one, i) => {
    if (one instanceof Fault) return one;
    const { input } = items[i] as (typeof items)[number];
    const { connector, id, event_type } = input;
    const { duplicate, results, letter_id, reason } = one;
    const output = { duplicate, connector, id, event_type, results, letter_id, reason };
    const holds = { agent_id: webhookAgent(connector) };
    return duplicate ? unchanged(output, holds) : changed(output, { resource: id, holds, ...hashedBy(output) });
  });
});

export const receive: Handler<'webhooks.receive'> = prepares(prepareReceive, store);
