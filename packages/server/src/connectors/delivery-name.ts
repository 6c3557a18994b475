import { createHash } from 'node:crypto';
import type { DeliveryName, RawDelivery } from './types.ts';

const MAX_TYPE_CHARS = 200;
const UNKNOWN_TYPE = 'generic';

/** What a delivery is, by what its connector said of it, by headers, by its payload, or by a hash of its bytes. */
export function nameDelivery(payload: unknown, { body, headers }: RawDelivery, given: unknown = {}): DeliveryName {
  const own = membersOf(given);
  const sent = membersOf(payload);
  return {
    event_type:
      typeOf(own.event_type) ??
      typeOf(headers['x-event-type']) ??
      typeOf(sent.event_type) ??
      typeOf(sent.type) ??
      UNKNOWN_TYPE,
    id: idOf(own.id) ?? idOf(headers['x-event-id']) ?? idOf(sent.id) ?? createHash('sha256').update(body).digest('hex'),
  };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** A type is one word, which filters can name. */
const typeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_TYPE_CHARS && /^[^\s\p{Cc}]+$/u.test(value) ? value : undefined;

function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
