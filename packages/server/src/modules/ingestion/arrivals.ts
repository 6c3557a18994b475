import { hash } from 'node:crypto';
import type { Output } from '@mem-service/contract';
import { isoOfMs } from '../../iso-time.ts';
import { type Caller, isInScope, missingScope, type Scope } from '../../kernel/index.ts';
import { deliveryIdOf } from './names.ts';
import type { DeliveryRow } from './queries.ts';
import type { ArrivedWrite } from './rules/results.ts';

/** An event that could not be transformed, as it is kept to be tried again. The payload and the headers are JSON. */
export type ArrivalFailure = { reason: string; retry_at: number | null; payload: string; headers: string };

/** An event from outside, ready to be stored. */
export type Arrival = {
  caller: Caller;
  /** The agent that its entries are written by. */
  sender: string;
  source: string;
  /** As it was sent; undefined where it came without one. */
  id: string | undefined;
  event_type: string;
  occurred_at: number | null;
  /** Its place among those that occurred at the same time; 0 where it is not said. */
  rank?: number;
  writes: readonly ArrivedWrite[];
  /** The connector that received it. */
  connector?: string;
  records_outcomes?: boolean;
  failure?: ArrivalFailure | undefined;
  /** The same as it came, where what it says cannot be stored. */
  kept?: ((reason: string) => Promise<Arrival>) | undefined;
  /** When it came, where that was earlier. */
  received_at?: number | undefined;
  /** It is known to have come, and is tried again. */
  isAgain?: boolean;
  realm?: string;
};

export type IngestedResult = Output<'webhooks.receive'>['results'][number];

export type StoredArrival = {
  duplicate: boolean;
  delivery: DeliveryRow;
  results: IngestedResult[];
  letter_id: string | null;
  /** Why it was kept as it came. */
  reason: string | null;
};

const realms = new WeakMap<Scope, string>();

/**
 * Ids of a key with a limited scope are apart from those of others: it neither learns which ids were used elsewhere, nor uses
 * them up.
 */
export function realmOf(scope: Scope | undefined): string {
  if (scope === undefined) return '';
  let realm = realms.get(scope);
  if (realm === undefined) {
    realm = hash('sha256', JSON.stringify(scope), 'hex').slice(0, 16);
    realms.set(scope, realm);
  }
  return realm;
}

/** Of an event that is tried again, the realm of the key that received it. */
export const realmOfArrival = ({ caller, realm }: Arrival): string => realm ?? realmOf(caller.key?.write);

/** What sets a delivery apart from others of the account. */
export const deliveryName = (arrival: Arrival): [string, string, string] | undefined =>
  arrival.id === undefined ? undefined : [arrival.sender, realmOfArrival(arrival), deliveryIdOf(arrival.id)];

/** Refuses a delivery of which a part is outside of the caller's scope. */
export function checkWriteScope({ key }: Caller, writes: readonly Pick<ArrivedWrite, 'entity_path'>[]): void {
  for (const { entity_path } of writes)
    if (!isInScope(key?.write, entity_path)) throw missingScope('WRITE', { kind: 'exact', path: entity_path });
}

type ShownEvent = { source: string; event_type: string; id: string; occurred_at: string | null; rank?: number };

const shownEvents = new WeakMap<Arrival, ShownEvent>();

/** Not by `toIso`, which keeps the time of the transaction. */
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOfMs(ms));

/** An event as the versions that are written for it show it. */
export function eventOf(arrival: Arrival): ShownEvent {
  let shown = shownEvents.get(arrival);
  if (shown === undefined) {
    const { source, event_type, id, occurred_at, rank = 0 } = arrival;
    shown = { source, event_type, id: id ?? '', occurred_at: isoOrNull(occurred_at) };
    if (rank !== 0) shown.rank = rank;
    shownEvents.set(arrival, shown);
  }
  return shown;
}
